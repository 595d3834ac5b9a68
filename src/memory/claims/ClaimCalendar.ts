/** How the parts of a date become one key; `CalendarNames` has the names of months and weekdays. */

/** Words that may stand between a day and its month: "3rd of May", "3 de mayo". */
export const dateJoiners: ReadonlySet<string> = new Set(["of", "de", "di", "do", "del", "the"])

export interface DateParts {
  readonly year?: number | undefined
  readonly month?: number | undefined
  readonly day?: number | undefined
}

const pad = (value: number | undefined, size: number) => value === undefined ? "" : String(value).padStart(size, "0")

/** `2026-05-03`, `-05-03`, `2026-05-`: what is not said stays empty. */
export const dateKey = ({ day, month, year }: DateParts): string => `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`

/** A date of the proleptic Gregorian calendar that exists. */
export const isDate = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= 31 && year >= 0 && year <= 9999
