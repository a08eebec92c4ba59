import { z } from 'zod';
import { didYouMean } from './closest';
import { isDuration, isTooLong, millisecondsOf } from './duration';
import { show } from './occurrences/show';
import { isStorable } from './storable';

/** Instants lie in the years 1 to 9999, which both Postgres and Date support. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** In characters. With this limit, the notes of a page of 200 schedules have less than a million characters. */
export const LONGEST_NOTE = 4_000;
/** The limit for the name of a tenant, which may become a part of workflow IDs. */
const LONGEST_TENANT_BYTES = 100;
const LONGEST_OWNER = 200;
/** The same limit as for IDs of schedules. */
const LONGEST_ID_BYTES = 255;
const LONGEST_LINK = 2_000;
/** The longest delay of a Node timer. */
export const LONGEST_TIMER_MILLISECONDS = 2 ** 31 - 1;

/** A text of any length that can be stored. */
export const storable = z.string().refine(isStorable, { error: 'has characters that cannot be stored' });

/** Why an empty filter, such as that of an unset shell variable, is refused. */
export const EMPTY_FILTER = 'is empty, and would select everything: leave it out';

export const narrowing = storable.refine((value) => value.trim() !== '', { error: EMPTY_FILTER });

export const name = storable.refine((value) => value !== '' && Buffer.byteLength(value) <= 1_000, {
  error: 'is not 1 to 1,000 bytes of text',
});

export const note = storable.refine((value) => value.length <= LONGEST_NOTE, {
  error: `is longer than ${LONGEST_NOTE.toLocaleString('en')} characters`,
});

/** The person or team that is responsible for a schedule; empty for nobody. */
export const owner = storable.refine((value) => value.length <= LONGEST_OWNER && isPrintable(value), {
  error: `is not a text of at most ${LONGEST_OWNER} characters without control characters`,
});

/** The ID of a schedule in another system; empty for none. */
export const externalId = storable.refine(
  (value) => Buffer.byteLength(value) <= LONGEST_ID_BYTES && isPrintable(value),
  {
    error: `is not a text of at most ${LONGEST_ID_BYTES} bytes without control characters`,
  },
);

/** The link that alerts of a schedule contain; empty for none. */
export const runbook = storable.refine((value) => value === '' || isLink(value), {
  error: `is not an http or https link of at most ${LONGEST_LINK.toLocaleString('en')} characters`,
});

export const tenant = storable.refine(
  (value) => Buffer.byteLength(value) <= LONGEST_TENANT_BYTES && isPrintable(value),
  {
    error: `is not a text of at most ${LONGEST_TENANT_BYTES} bytes without control characters`,
  },
);

/** An explicit undefined is refused, since as a filter it would silently mean all tenants. */
export const tenantOrAll = tenant.exactOptional();

export const flag = z.boolean();

export const instant = z.custom<Date>((value) => value instanceof Date && isInstant(value.getTime()), {
  error: 'is not a Date in the years 1 to 9999',
});

/** An instant, or a text that is parsed later, once its time zone is known. */
export const instantOrText = z.custom<Date | string>(
  (value) => typeof value === 'string' || (value instanceof Date && isInstant(value.getTime())),
  { error: 'is neither a Date in the years 1 to 9999 nor a text such as 2026-11-20T02:00:00Z' },
);

function noDuration(input: unknown, numbers: string): string {
  if (isTooLong(millisecondsOf(input) ?? 0)) return `${show(input)} is longer than 100 years`;
  return `${show(input)} is not a duration; use ${numbers} or a text such as '90 minutes'`;
}

/** A Temporal `Duration` above 0, 100 years at most. */
export const duration = z.custom(isDuration, {
  error: ({ input }) => noDuration(input, 'milliseconds'),
});

export const durationOrNone = z.custom((value) => value === 0 || isDuration(value), {
  error: ({ input }) => noDuration(input, '0, milliseconds'),
});

export const callback = z.custom((value) => typeof value === 'function', { error: 'is not a function' });

export const FAILURE_TEXT_FIELDS = { keepFailureTexts: flag.optional(), redact: callback.optional() };

/** An object whose fields are not checked here. */
export const thing = z.custom((value) => typeof value === 'object' && value !== null, { error: 'is not an object' });

/** An object whose fields are not checked here, or a function. */
export const thingOrCallback = z.custom(
  (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
  { error: 'is neither an object nor a function' },
);

export const count = z.custom((value) => Number.isSafeInteger(value) && (value as number) >= 1, {
  error: 'is not a whole number from 1',
});

export const oneOf = (words: readonly string[]) =>
  z.custom((value) => words.includes(value as string), { error: ({ input }) => noneOf(input, words) });

export const oneOrMore = (words: readonly string[]) =>
  z.custom((value) => [value].flat().every((word) => words.includes(word as string)), {
    error: ({ input }) =>
      noneOf(
        [input].flat().find((word) => !words.includes(word as string)),
        words,
      ),
  });

/** A text such as `"close" is none of open, closed; did you mean closed?` */
export function noneOf(value: unknown, words: readonly string[]): string {
  return `${show(value)} is none of ${words.join(', ')}${typeof value === 'string' ? didYouMean(value, words) : ''}`;
}

function isLink(value: string): boolean {
  if (value.length > LONGEST_LINK || !isPrintable(value) || !URL.canParse(value)) return false;
  return ['http:', 'https:'].includes(new URL(value).protocol);
}

export function isInstant(time: number): boolean {
  return time >= EARLIEST && time <= LATEST;
}

/** Whether a text is well-formed and has no control characters of ASCII. */
export function isPrintable(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  return value.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(value);
}

export function isScheduleId(value: string): boolean {
  const bytes = Buffer.byteLength(value);
  return bytes >= 1 && bytes <= 255 && isPrintable(value);
}
