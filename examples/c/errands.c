/* Each task is a step on the way or begins a new errand: there are finitely many, whatever is drawn. */
extern int __VERIFIER_nondet_int(void);

int errands, steps;

int main(void)
{
    errands = __VERIFIER_nondet_int();
    steps = 5;
    while (errands > 0 && steps > 0) {
        if (__VERIFIER_nondet_int()) {
            errands = errands - 1;
            steps = __VERIFIER_nondet_int();
        } else {
            steps = steps - 1;
        }
    }
    return 0;
}
