import { FIRST_YEAR, LAST_YEAR } from './civil';

export interface Field {
  /** The field's name in a CalendarSpec. */
  readonly key: 'second' | 'minute' | 'hour' | 'dayOfMonth' | 'month' | 'dayOfWeek' | 'year';
  /** The field's name in error messages. */
  readonly label: string;
  readonly min: number;
  readonly max: number;
  /** The first name stands for the value `nameBase`. */
  readonly names?: readonly string[];
  readonly nameBase?: number;
}

export const MONTH_NAMES = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
] as const;

export const DAY_NAMES = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;

export const SECOND: Field = { key: 'second', label: 'second', min: 0, max: 59 };
export const MINUTE: Field = { key: 'minute', label: 'minute', min: 0, max: 59 };
export const HOUR: Field = { key: 'hour', label: 'hour', min: 0, max: 23 };
export const DAY_OF_MONTH: Field = { key: 'dayOfMonth', label: 'day-of-month', min: 1, max: 31 };
export const MONTH: Field = { key: 'month', label: 'month', min: 1, max: 12, names: MONTH_NAMES, nameBase: 1 };
/** In this field both 0 and 7 stand for Sunday. */
export const DAY_OF_WEEK: Field = {
  key: 'dayOfWeek',
  label: 'day-of-week',
  min: 0,
  max: 7,
  names: DAY_NAMES,
  nameBase: 0,
};
export const YEAR: Field = { key: 'year', label: 'year', min: FIRST_YEAR, max: LAST_YEAR };

/** The fields in the order of a full expression. */
export const FIELDS = [SECOND, MINUTE, HOUR, DAY_OF_MONTH, MONTH, DAY_OF_WEEK, YEAR] as const;
