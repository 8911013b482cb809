//! Names of the C library (C11 §7), of POSIX and of what compilers and their headers call, as far as programs use them: what procedures
//! of these names do is known to everybody, if not here.

use crate::c::meaning::Does;

/// Those that write nothing of the program's.
const READERS: &str = "
    isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper toascii
    _tolower _toupper __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __ctype_get_mb_cur_max
    iswalnum iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit towlower
    towupper towctrans wctype wctrans
    memchr memcmp memmem memrchr rawmemchr bcmp strchr strchrnul strcmp strcasecmp strcasestr strcoll strcspn strdup strlen
    strncasecmp strncmp strndup strnlen strpbrk strrchr strspn strstr strverscmp ffs ffsl ffsll
    wcschr wcscmp wcscoll wcscspn wcsdup wcslen wcsncmp wcsnlen wcspbrk wcsrchr wcsspn wcsstr wmemchr wmemcmp
    abs labs llabs imaxabs div ldiv lldiv imaxdiv atoi atol atoll atof rand srand random srandom drand48 lrand48 mrand48 srand48
    a64l aligned_alloc valloc pvalloc memalign malloc_usable_size
    clock difftime sleep usleep
    fclose feof feof_unlocked ferror ferror_unlocked clearerr fileno fopen fdopen freopen tmpfile popen pclose fgetc getc getchar
    getc_unlocked getchar_unlocked getw ungetc fseek fseeko ftell ftello rewind fwrite fwrite_unlocked fputs fputs_unlocked puts fputc
    putc putchar putc_unlocked putchar_unlocked putw fflush perror psignal remove rename flockfile funlockfile fputwc putwc putwchar
    fputws getwc getwchar fgetwc ungetwc fwide
    open openat creat close write pwrite lseek unlink unlinkat symlink mkdir rmdir chdir fchdir chmod fchmod chown fchown lchown
    access faccessat link dup dup2 dup3 fsync fdatasync truncate ftruncate isatty mkfifo mknod umask utime chroot
    getpid getppid getuid geteuid getgid getegid getpgid getpgrp getsid gethostid getpagesize sysconf pathconf fpathconf setuid seteuid
    setgid setegid setpgid setsid setreuid setregid opendir closedir
    rewinddir telldir seekdir dirfd shutdown socket htonl htons ntohl ntohs inet_addr
    sched_yield system gettext dgettext dcgettext ngettext textdomain
    bindtextdomain fegetround fesetround feclearexcept feraiseexcept fetestexcept feenableexcept fedisableexcept openlog closelog
    setlogmask dlopen dlclose dlsym mblen btowc wctob
    atomic_thread_fence atomic_signal_fence
    __fpclassify __fpclassifyf __fpclassifyl __isnan __isnanf
    __isnanl __isinf __isinff __isinfl __finite __finitef __finitel __signbit __signbitf __signbitl __sysconf gnu_get_libc_version
";

/// Those that return where they write again, or others do, when they are called once more.
const LENDERS: &str = "
    gmtime localtime asctime ctime strerror strsignal dlerror ttyname getlogin getpass getpwnam getpwuid getgrnam getgrgid readdir
    inet_ntoa getprotobyname gethostbyname getservbyname getservbyport setlocale localeconv nl_langinfo getenv secure_getenv
";

/// Those of which nothing is known.
const WRITERS: &str = "
    setenv unsetenv putenv clearenv tzset
    memcpy memmove memset memccpy mempcpy bcopy bzero explicit_bzero strcat strcpy strncat strncpy stpcpy stpncpy strlcat strlcpy
    strtok strtok_r strsep strxfrm strerror_r swab strfry memfrob
    wcscat wcscpy wcsncat wcsncpy wcstok wcsxfrm wmemcpy wmemmove wmemset wcstombs mbstowcs mbtowc wctomb mbrlen mbrtowc wcrtomb
    mbsrtowcs wcsrtombs mbrtoc16 c16rtomb mbrtoc32 c32rtomb mbsinit
    strtod strtof strtold strtol strtoll strtoul strtoull strtoq strtouq strtoimax strtoumax wcstod wcstof wcstold wcstol wcstoll
    wcstoul wcstoull wcstoimax wcstoumax rand_r erand48 nrand48 jrand48 seed48 initstate setstate getrandom getentropy posix_memalign
    atexit qsort qsort_r bsearch lsearch lfind hsearch hcreate hdestroy tsearch tfind tdelete twalk
    time mktime timegm clock_getcpuclockid basename
    gmtime_r localtime_r asctime_r ctime_r strftime strptime wcsftime timespec_get clock_gettime clock_settime clock_getres
    clock_nanosleep nanosleep gettimeofday settimeofday times ftime getitimer adjtime stime
    printf fprintf dprintf sprintf snprintf asprintf vprintf vfprintf vdprintf vsprintf vsnprintf vasprintf printk syslog vsyslog
    wprintf fwprintf swprintf vwprintf vfwprintf vswprintf
    scanf fscanf sscanf vscanf vfscanf vsscanf __isoc99_scanf __isoc99_fscanf __isoc99_sscanf __isoc23_scanf __isoc23_fscanf
    __isoc23_sscanf wscanf fwscanf swscanf vwscanf vfwscanf vswscanf
    fread fread_unlocked fgets fgets_unlocked gets gets_s getline getdelim fgetws fgetpos fsetpos setbuf setbuffer setlinebuf setvbuf
    tmpnam tempnam mkstemp mkdtemp mktemp ctermid
    read pread readv writev preadv pwritev readlink readlinkat getcwd getwd get_current_dir_name realpath stat fstat lstat fstatat
    statfs fstatfs statvfs fstatvfs pipe pipe2 ioctl fcntl select pselect poll ppoll epoll_create epoll_create1 epoll_ctl epoll_wait
    mmap munmap mprotect msync mlock munlock sbrk getrlimit getrusage uname gethostname sethostname getdomainname ttyname_r
    getlogin_r getpwnam_r getpwuid_r getgroups setgroups getpriority setpriority readdir_r scandir glob globfree ftw nftw fnmatch
    regcomp regexec regerror regfree wordexp wordfree getopt getopt_long getopt_long_only getsubopt confstr
    accept4 getsockname getpeername getsockopt setsockopt send sendto sendmsg recv recvfrom recvmsg socketpair
    getaddrinfo freeaddrinfo getnameinfo gai_strerror inet_aton inet_pton inet_ntop
    waitpid waitid wait3 wait4 getcontext makecontext sigemptyset sigfillset sigaddset sigdelset sigismember
    sigprocmask pthread_sigmask sigpending sem_init sem_destroy sem_post sem_wait sem_trywait sem_getvalue
    shm_open shm_unlink shmget shmat shmdt shmctl semget semop semctl msgget msgsnd msgrcv msgctl ftok
    tcgetattr tcsetattr tcflush tcdrain cfsetispeed cfsetospeed cfgetispeed cfgetospeed backtrace backtrace_symbols
    call_once mtx_init mtx_lock mtx_timedlock mtx_trylock mtx_unlock mtx_destroy cnd_init cnd_signal cnd_broadcast cnd_wait
    cnd_timedwait cnd_destroy tss_create tss_get tss_set tss_delete thrd_current thrd_equal thrd_sleep thrd_yield thrd_detach thrd_join
    fegetenv feholdexcept fesetenv feupdateenv fegetexceptflag fesetexceptflag
    atomic_flag_test_and_set atomic_flag_test_and_set_explicit atomic_flag_clear atomic_flag_clear_explicit
    _IO_getc _IO_putc __getdelim __strtol_internal __strtoul_internal __strtod_internal __xstat __fxstat __lxstat __xmknod __fdelt_chk
    __printf_chk __fprintf_chk __sprintf_chk __snprintf_chk __vprintf_chk __vfprintf_chk __vsprintf_chk __vsnprintf_chk __memcpy_chk __memmove_chk __mempcpy_chk __memset_chk __strcpy_chk __stpcpy_chk __strncpy_chk
    __stpncpy_chk __strcat_chk __strncat_chk __cmsg_nxthdr
    __rawmemchr __strdup __strndup __strtok_r __stpcpy __sigsetmask __overflow __uflow
";

/// Those that may not return.
const LEAVERS: &str = "
    raise kill killpg tgkill pthread_kill sigqueue pause sigsuspend sigwait sigwaitinfo sigtimedwait thrd_exit pthread_exit pthread_cancel
    pthread_join execl execlp execle execv execve execvp execvpe fexecve errx verr verrx error_at_line reboot
    __assert_perror_fail setcontext swapcontext ptrace daemon setrlimit prctl syscall
";

/// Those after which their first argument may point nowhere.
const FREERS: &str = "realloc reallocarray reallocf cfree";

/// Functions of real numbers (C11 §7.12, POSIX), for `double`; with `f` and `l` at the end for the others.
const MATHEMATICS: &str = "
    acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 exp10 expm1 ilogb ldexp log log10 log1p log2 logb
    scalbn scalbln cbrt fabs hypot pow pow10 sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint round lround
    llround trunc fmod remainder copysign nan nextafter nexttoward fdim fmax fmin fma isnan isinf finite signbit
    isfinite isnormal fpclassify
";

/// The same, but they write where an argument points to.
const PARTS: &str = "frexp modf remquo sincos lgamma_r";

/// Variables of the library, which its procedures change as they like.
const VARIABLES: &str = "
    errno stdin stdout stderr environ __environ optarg optind opterr optopt timezone daylight tzname signgam sys_errlist sys_nerr
    program_invocation_name program_invocation_short_name h_errno
";

/// Names that may be anybody's: only where a header of the system declares them they are the library's, and may not return.
const WORDS: &str = "error";

fn lists(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == name)
}

/// What a procedure of this name does that a header of the system declares.
pub fn declared(name: &str) -> Does {
    let leaves = lists(WORDS, name).then_some(Does::Leaves);
    leaves.or_else(|| library(name)).unwrap_or(Does::Writes)
}

/// What a procedure of the library of this name does, if there is one; whoever declares it.
pub fn library(name: &str) -> Option<Does> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let real = |list| lists(list, plain) || plain.strip_suffix(['f', 'l']).is_some_and(|of| lists(list, of));
    if lists(READERS, plain) || real(MATHEMATICS) {
        Some(Does::Reads)
    } else if lists(FREERS, plain) {
        Some(Does::Frees)
    } else if lists(LEAVERS, plain) {
        Some(Does::Leaves)
    } else if lists(WRITERS, plain)
        || lists(LENDERS, plain)
        || real(PARTS)
        || plain.starts_with("pthread_")
        || is_builtin(name)
    {
        Some(Does::Writes)
    } else {
        None
    }
}

/// Whether a procedure of the library returns where it, or another one, writes again when it is called once more.
pub fn is_lender(name: &str) -> bool {
    lists(LENDERS, name)
}

/// Whether a name is one that compilers know without a declaration.
pub fn is_builtin(name: &str) -> bool {
    ["__builtin_", "__sync_", "__atomic_", "__c11_atomic_"].iter().any(|prefix| name.starts_with(prefix))
}

/// Whether the library has a variable of this name.
pub fn library_variable(name: &str) -> bool {
    lists(VARIABLES, name)
}

/// Whether a variable of the library is a stream, which is there as long as the program runs.
pub fn is_stream(name: &str) -> bool {
    lists("stdin stdout stderr", name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_stands_in_two_lists() {
        let mut all: Vec<&str> = Vec::new();
        for list in [READERS, LENDERS, WRITERS, LEAVERS, FREERS, MATHEMATICS, PARTS, VARIABLES] {
            all.extend(list.split_ascii_whitespace());
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn functions_of_real_numbers_have_three_names() {
        assert_eq!(["sin", "sinf", "sinl"].map(library), [Some(Does::Reads); 3]);
        assert_eq!(library("modff"), Some(Does::Writes));
        assert_eq!(library("sing"), None);
        assert_eq!(library("__builtin_strcmp"), Some(Does::Reads));
    }
}
