import { InvalidOptionError } from '../errors';
import { type Problem, problemsOf } from '../options';
import { scheduleShape } from './shape';

type Fields = Record<string, unknown>;

/** Each value replaces a required field that is bad, so that the validation can continue. */
const STANDS_FOR: Readonly<Record<string, unknown>> = {
  scheduleId: 'schedule',
  spec: {},
  action: { type: 'startWorkflow', workflowType: 'workflow', taskQueue: 'queue' },
  'action.type': 'startWorkflow',
  'action.workflowType': 'workflow',
  'action.taskQueue': 'queue',
};
const PROBLEMS_AT_MOST = 100;

/**
 * At most 100 problems of a schedule's options. If `parse` refuses a part, the part is left out or replaced, and
 * `parse` is called again.
 *
 * @param parse must throw the first problem that it finds
 */
export function allProblems(options: unknown, parse: (options: never) => unknown): Problem[] {
  const problems = problemsOf(scheduleShape, options).slice(0, PROBLEMS_AT_MOST);
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return problems;
  let rest: Fields = { ...options };
  for (const { path } of problems) rest = without(rest, path) ?? rest;
  while (problems.length < PROBLEMS_AT_MOST) {
    const found = firstProblem(rest, parse);
    if (!found) break;
    // If two checks report the same path, only the first problem is shown.
    if (problems.every(({ path }) => path !== found.path)) problems.push(found);
    const shorter = without(rest, found.path);
    if (!shorter) break;
    rest = shorter;
  }
  return problems;
}

function firstProblem(options: Fields, parse: (options: never) => unknown): Problem | undefined {
  try {
    parse(options as never);
    return undefined;
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error;
    return { path: error.path, problem: error.problem };
  }
}

/**
 * A copy in which the field at a path, or else a part around it, is left out or replaced from {@link STANDS_FOR};
 * undefined if that is not possible.
 */
function without(options: Fields, path: string): Fields | undefined {
  // The split leaves a bracket in a part such as `0]`. That does no harm, since a list is left out as a whole.
  const names = path.split(/[.[]/);
  const copy: Fields = { ...options };
  let parent = copy;
  for (const [depth, name] of names.entries()) {
    const here = names.slice(0, depth + 1).join('.');
    const value = parent[name];
    const next = names[depth + 1];
    // If a required field is missing, its stand-in is added, and the other fields of the part stay.
    const isAdded = Object.hasOwn(STANDS_FOR, `${here}.${next}`);
    if (next !== undefined && isPlain(value) && (isAdded || Object.hasOwn(value, next))) {
      parent = parent[name] = { ...value };
      continue;
    }
    if (Object.hasOwn(STANDS_FOR, here)) {
      if (value === STANDS_FOR[here]) return undefined;
      parent[name] = STANDS_FOR[here];
    } else if (Object.hasOwn(parent, name)) delete parent[name];
    else return undefined;
    return copy;
  }
  return undefined;
}

function isPlain(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
