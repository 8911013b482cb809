/* A device with two tasks, each with a stack of its own of 2048 bytes. */
extern unsigned char uart_read(void);       /* the next byte from the line */
extern void uart_write(unsigned char byte);
extern int sensor_read(int channel);
extern void valve_set(int open);

/* The first task keeps the temperature. */

static int filtered[4];

static int filter(int channel) {
  int value = sensor_read(channel);
  filtered[channel] += (value - filtered[channel]) / 4;
  return filtered[channel];
}

static int hottest(void) {
  int most = filter(0);
  for (int channel = 1; channel < 4; channel++) {
    int value = filter(channel);
    if (value > most) most = value;
  }
  return most;
}

void control_task(void) {
  for (;;) valve_set(hottest() > 700);
}

/* The second one answers requests: numbers, and sums in brackets, as in (1+(2+3)). */

enum { DEEPEST = 10 };

static int sum(int depth);

static int operand(int depth) {
  unsigned char byte = uart_read();
  if (byte == '(') return depth < DEEPEST ? sum(depth + 1) : 0;
  return byte - '0';
}

static int sum(int depth) {
  int value = operand(depth);
  while (uart_read() == '+') value += operand(depth);
  return value;
}

void console_task(void) {
  for (;;) uart_write((unsigned char) sum(0));
}

int main(void) {
  control_task();
  console_task();
}
