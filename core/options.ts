import type { z } from 'zod';
import { didYouMean } from './closest';
import { InvalidOptionError } from './errors';
import { show } from './occurrences/show';
import { noneOf } from './option-fields';

/** The schemas for the options of one call, one for each option. The compiler checks that no option lacks a schema. */
export type FieldsOf<Options> = { [Name in keyof Required<Options>]: z.ZodType };

/** A problem in given options, and where it is. */
export interface Problem {
  /** The path of the bad field, such as `policies.overlap`. */
  path: string;
  /** What is wrong with the field, often with the values that are allowed. */
  problem: string;
}

type Refuse = (path: string, problem: string) => Error;

const refused: Refuse = (path, problem) => new InvalidOptionError(path, problem);

/**
 * @param at the path of the options themselves, such as `limits` for `limits.batchSize`
 * @throws {InvalidOptionError} or the error that `refuse` creates for the first problem
 */
export function checkOptions(schema: z.ZodType, given: unknown, at = '', refuse = refused): void {
  const problem = problemOf(schema, given, at);
  if (problem) throw refuse(problem.path, problem.problem);
}

export function problemOf(schema: z.ZodType, given: unknown, at = ''): Problem | undefined {
  return problemsOf(schema, given, at)[0];
}

/**
 * All problems of given options. Unknown names come first, since a misspelt name may be the reason why an option is
 * missing.
 */
export function problemsOf(schema: z.ZodType, given: unknown, at = ''): Problem[] {
  const result = schema.safeParse(given, { reportInput: true });
  if (result.success) return [];
  const unknown: Problem[] = [];
  const wrong: Problem[] = [];
  for (const issue of result.error.issues) {
    if (issue.code !== 'unrecognized_keys') {
      wrong.push({ path: pathOf(at, issue.path) || 'options', problem: inWords(issue, given) });
      continue;
    }
    const known = namesIn(schema, issue.path);
    for (const key of issue.keys) {
      const are = known.length === 0 ? '' : `; ${known.join(', ')} ${known.length === 1 ? 'is' : 'are'}`;
      const problem = `is not a field here${are}${didYouMean(key, known)}`;
      unknown.push({ path: pathOf(at, [...issue.path, key]), problem });
    }
  }
  return [...unknown, ...wrong];
}

function inWords(issue: z.core.$ZodIssue, given: unknown): string {
  const { input } = issue;
  if (input === undefined) {
    return isPresent(given, issue.path) ? 'is undefined: leave the option out, or give a value' : 'is missing';
  }
  if (issue.code === 'invalid_value') return noneOf(input, issue.values.map(String));
  if (issue.code === 'invalid_type') return `${show(input)} is ${EXPECTED[issue.expected] ?? `no ${issue.expected}`}`;
  // Zod's own messages for bounds begin with a capital letter.
  return issue.code === 'custom' || /^[a-z]/.test(issue.message) ? issue.message : `${show(input)}: ${issue.message}`;
}

const EXPECTED: Record<string, string> = {
  boolean: 'neither true nor false',
  string: 'no text',
  number: 'no number',
  int: 'not a whole number',
  object: 'not an object of options',
  array: 'no list',
  record: 'no object',
};

/**
 * Whether the option is given explicitly with the value undefined. Without a path, no options were given at all. A
 * schema that turns the given value into a list reports a path into this list even if no options were given.
 */
function isPresent(given: unknown, path: PropertyKey[]): boolean {
  if (path.length === 0) return false;
  let parent = given as Record<PropertyKey, unknown> | undefined;
  for (const part of path.slice(0, -1)) parent = parent?.[part] as typeof parent;
  return parent !== undefined && Object.hasOwn(parent, path.at(-1)!);
}

function pathOf(at: string, path: PropertyKey[]): string {
  return path.reduce<string>(
    (before, part) =>
      typeof part === 'number' ? `${before}[${part}]` : before ? `${before}.${String(part)}` : String(part),
    at,
  );
}

/** The fields that a schema names at a path; none where it allows any, or does not know the path. */
export function namesIn(schema: z.ZodType, path: PropertyKey[]): string[] {
  let at: z.core.$ZodType | undefined = schema;
  for (const part of path) at = inside(at, part);
  const object = unwrapped(at);
  return object?._zod.def.type === 'object' ? Object.keys((object as z.ZodObject).shape) : [];
}

function inside(schema: z.core.$ZodType | undefined, part: PropertyKey): z.core.$ZodType | undefined {
  const outer = unwrapped(schema);
  const def = outer?._zod.def as { type: string; element?: z.core.$ZodType; valueType?: z.core.$ZodType } | undefined;
  if (def?.type === 'object') {
    const { shape } = outer as z.ZodObject;
    return Object.hasOwn(shape, part) ? shape[part as string] : undefined;
  }
  return def?.element ?? def?.valueType;
}

function unwrapped(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  const inner = (schema?._zod.def as { innerType?: z.core.$ZodType } | undefined)?.innerType;
  return inner ? unwrapped(inner) : schema;
}
