//! What is known of the functions of C11's headers (§7) and of some of POSIX, a line a function, by header.
//!
//! `modelled`: in C of our own; `represented`: the front end says what it does; `executed`: known in runs, arbitrary in proofs; `arbitrary`: any
//! result, and nothing of the program's is written; `writes`, the same, but what arguments lead to may be written; `leaves`, the same, but it need not come
//! back; `refused`, with the reason.

/// The table.
pub const FUNCTIONS: &str = "
    <assert.h>
    __assert_fail: represented
    <ctype.h>
    isalnum: modelled
    isalpha: modelled
    isblank: modelled
    iscntrl: modelled
    isdigit: modelled
    isgraph: modelled
    islower: modelled
    isprint: modelled
    ispunct: modelled
    isspace: modelled
    isupper: modelled
    isxdigit: modelled
    tolower: modelled
    toupper: modelled
    <setjmp.h>
    setjmp: refused, control comes back into a frame from below
    longjmp: refused, the same
    <signal.h>
    signal: refused, handlers run at any time
    raise: leaves
    <stdio.h>
    remove: arbitrary
    rename: arbitrary
    tmpfile: arbitrary
    tmpnam: writes
    fclose: executed
    fflush: executed
    fopen: arbitrary
    freopen: arbitrary
    setbuf: writes
    setvbuf: executed
    fprintf: executed
    fscanf: executed
    printf: executed
    scanf: executed
    snprintf: executed
    sprintf: executed
    sscanf: executed
    vfprintf: executed
    vfscanf: executed
    vprintf: executed
    vscanf: executed
    vsnprintf: executed
    vsprintf: executed
    vsscanf: executed
    fgetc: executed
    fgets: executed
    fputc: executed
    fputs: executed
    getc: executed
    getchar: executed
    putc: executed
    putchar: executed
    puts: executed
    ungetc: executed
    fread: executed
    fwrite: executed
    fgetpos: writes
    fseek: arbitrary
    fsetpos: writes
    ftell: arbitrary
    rewind: arbitrary
    clearerr: executed
    feof: executed
    ferror: executed
    perror: arbitrary
    <stdlib.h>
    atof: executed
    atoi: modelled
    atol: modelled
    atoll: modelled
    strtod: executed
    strtof: executed
    strtold: executed
    strtol: modelled
    strtoll: modelled
    strtoul: modelled
    strtoull: modelled
    rand: modelled
    srand: modelled
    aligned_alloc: modelled
    calloc: represented
    free: represented
    malloc: represented
    realloc: executed
    abort: represented
    atexit: modelled
    at_quick_exit: refused, the same
    exit: represented
    _Exit: represented
    getenv: writes
    quick_exit: represented
    system: arbitrary
    bsearch: modelled
    qsort: modelled
    abs: represented
    labs: represented
    llabs: represented
    div: executed
    ldiv: executed
    lldiv: executed
    mblen: arbitrary
    mbtowc: writes
    wctomb: writes
    mbstowcs: writes
    wcstombs: writes
    <string.h>
    memcpy: modelled
    memmove: modelled
    strcpy: modelled
    strncpy: modelled
    strcat: modelled
    strncat: modelled
    memcmp: modelled
    strcmp: modelled
    strcoll: arbitrary
    strncmp: modelled
    strxfrm: writes
    memchr: modelled
    strchr: modelled
    strcspn: modelled
    strpbrk: modelled
    strrchr: modelled
    strspn: modelled
    strstr: modelled
    strtok: modelled
    memset: modelled
    strerror: writes
    strlen: modelled
    <time.h>
    clock: arbitrary
    difftime: arbitrary
    mktime: writes
    time: writes
    timespec_get: writes
    asctime: writes
    ctime: writes
    gmtime: writes
    localtime: writes
    strftime: writes
    <math.h>
    acos: arbitrary
    asin: arbitrary
    atan: arbitrary
    atan2: arbitrary
    cos: arbitrary
    sin: arbitrary
    tan: arbitrary
    acosh: arbitrary
    asinh: arbitrary
    atanh: arbitrary
    cosh: arbitrary
    sinh: arbitrary
    tanh: arbitrary
    exp: arbitrary
    exp2: arbitrary
    expm1: arbitrary
    frexp: executed
    ilogb: executed
    ldexp: executed
    log: arbitrary
    log10: arbitrary
    log1p: arbitrary
    log2: arbitrary
    logb: executed
    modf: executed
    scalbn: executed
    scalbln: executed
    cbrt: arbitrary
    fabs: executed
    hypot: arbitrary
    pow: arbitrary
    sqrt: executed
    erf: arbitrary
    erfc: arbitrary
    lgamma: arbitrary
    tgamma: arbitrary
    ceil: executed
    floor: executed
    nearbyint: executed
    rint: executed
    lrint: executed
    llrint: executed
    round: executed
    lround: executed
    llround: executed
    trunc: executed
    fmod: executed
    remainder: executed
    remquo: writes
    copysign: executed
    nan: arbitrary
    nextafter: executed
    nexttoward: arbitrary
    fdim: executed
    fmax: executed
    fmin: executed
    fma: executed
    <unistd.h>
    access: arbitrary
    chdir: arbitrary
    close: arbitrary
    dup: arbitrary
    dup2: arbitrary
    execl: leaves
    execv: leaves
    execvp: leaves
    _exit: represented
    fork: refused, there is one process
    fsync: arbitrary
    getcwd: writes
    getpid: arbitrary
    getppid: arbitrary
    isatty: arbitrary
    link: arbitrary
    lseek: arbitrary
    pause: leaves
    pipe: writes
    read: writes
    rmdir: arbitrary
    sleep: arbitrary
    unlink: arbitrary
    usleep: arbitrary
    write: arbitrary
";
