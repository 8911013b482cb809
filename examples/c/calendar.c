/* Dates as some music players had them: on the last day of 2008 they stood still. */

static int is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* The year in which the day with this number is, where 1 is the first of January 1980. */
int year_of(int days)
{
    int year = 1980;

    while (days > 365) {
        if (is_leap(year)) {
            if (days > 366) {
                days -= 366;
                year += 1;
            }
        } else {
            days -= 365;
            year += 1;
        }
    }
    return year;
}

/* Its day of the week, where 0 is a Sunday. */
int weekday(unsigned days)
{
    int day = 1;

    while (days-- > 0)
        day = day == 6 ? 0 : day + 1;
    return day;
}
