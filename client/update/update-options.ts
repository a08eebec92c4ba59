import { isDeepStrictEqual } from 'node:util';
import { type ParsedSchedule, parseScheduleOptions } from '../../core/definition/parse';
import type { StoredSearchAttributes } from '../../core/definition/search-attributes';
import { InvalidScheduleError } from '../../core/errors';
import { checkWorkflowIdLength } from '../../core/identity';
import type { ScheduleOptions, ScheduleUpdateOptions } from '../../core/schedule/options';
import type { ScheduleRow } from '../../store/reads/read-schedules';
import { type PlainAction, plainAction } from '../describe/describe-action';
import { describedSpec, reviveSpec } from '../describe/described-spec';
import type { ScheduleDescription } from '../describe/schedule-description';
import type { DecodedValues, ScheduleCodec } from '../payloads';
import { editedAttributes } from './edited-attributes';
import { isSameJson } from './same-json';

/** The type of the values that an updater may return. A description may be returned unchanged. */
type Returned = ScheduleUpdateOptions &
  Partial<Pick<ScheduleDescription, 'info' | 'source' | 'state' | 'definition' | 'raw'>>;

/** @throws {InvalidScheduleError} with the path of the bad field */
export function parseUpdateOptions(row: ScheduleRow, returned: ScheduleUpdateOptions): ParsedSchedule {
  if (returned === null || typeof returned !== 'object') {
    throw new InvalidScheduleError('update', 'the function returned no definition; return { ...previous, … }');
  }
  const { scheduleId, namespace, tenant } = row;
  for (const [field, kept] of Object.entries({ scheduleId, namespace, tenant })) {
    const given = returned[field as 'scheduleId'];
    if (given !== undefined && given !== kept) {
      throw new InvalidScheduleError(field, `cannot be changed from '${kept}'; create another schedule instead`);
    }
  }
  const { info, source: _, raw: __, definition, ...others } = returned as Returned;
  if (definition !== undefined && !isSameJson(definition?.spec, reviveSpec(row.spec))) {
    throw new InvalidScheduleError('definition', "is added by describe; leave it out, and change 'spec'");
  }
  const options = info === undefined ? others : ofDescription(row, others);
  // A spec that the updater did not change keeps its registered form, but gets the new days of its calendars.
  const given = !isSameJson(withoutDays(options.spec), withoutDays(describedSpec(row.spec)));
  const spec = given ? options.spec : { ...row.spec, calendarDays: options.spec.calendarDays };
  const parsed = parseScheduleOptions(
    { ...options, spec, state: writableState(options.state), scheduleId, namespace, tenant } as ScheduleOptions,
    namespace,
    { given },
  );
  const { workflowId } = parsed.definition.action;
  // A workflow ID that would be too long today stays valid for a schedule that already has it.
  if (workflowId !== row.action.workflowId) checkWorkflowIdLength(scheduleId, workflowId);
  return parsed;
}

/** Only in a changed description do both forms of search attributes show the same ones. */
function ofDescription<Changed extends ScheduleUpdateOptions>(row: ScheduleRow, changed: Changed): Changed {
  const action = changed.action && editedAttributes(changed.action, row.action.searchAttributes);
  return { ...editedAttributes(changed, row.searchAttributes), action };
}

function withoutDays(spec: ScheduleUpdateOptions['spec']) {
  return { ...spec, calendarDays: undefined };
}

/** Whether a definition equals the stored one. The form of its dates does not matter. */
export function isSameDefinition(
  codec: ScheduleCodec,
  row: ScheduleRow,
  decoded: DecodedValues,
  parsed: ParsedSchedule,
): boolean {
  const { memo, staticSummary, staticDetails, searchAttributes, ...plain } = parsed.definition.action;
  const given = { args: parsed.args, memo, staticSummary, staticDetails };
  return isDeepStrictEqual(
    comparable(codec, row, plainAction(row.action), row.action.searchAttributes, decoded),
    comparable(codec, parsed.definition, plain, searchAttributes, given),
  );
}

function comparable(
  codec: ScheduleCodec,
  { spec, policies }: Pick<ScheduleRow, 'spec' | 'policies'>,
  plain: PlainAction,
  searchAttributes: StoredSearchAttributes | undefined,
  { args, memo, staticSummary, staticDetails }: Omit<DecodedValues, 'args'> & { args: unknown },
) {
  const action = JSON.parse(JSON.stringify({ ...plain, searchAttributes }));
  const values = { args: codec.comparable(args), memo: codec.comparable(memo), staticSummary, staticDetails };
  return { spec: reviveSpec(spec), policies, action, ...values };
}

const DESCRIBED_STATE = [
  ...['completed', 'completedAt', 'completedBy', 'pausedAt', 'pausedBy', 'pausedUntil', 'specError', 'setAsideAt'],
  'shadow',
];

function writableState(state: Returned['state']) {
  if (state === null || typeof state !== 'object') return state;
  for (const field of ['triggerImmediately', 'backfill'] as const) {
    if (field in state)
      throw new InvalidScheduleError(`state.${field}`, 'is only for create; use the method of the handle');
  }
  const writable: Record<string, unknown> = { ...state };
  for (const field of DESCRIBED_STATE) delete writable[field];
  return writable as Returned['state'];
}
