import { DEFAULTS } from '../defaults';
import type { EffectivePolicies, ScheduleDefinition } from './definition';
import { isRecord, problemOfStored, UNREADABLE, UnknownDefinitionError } from './stored-definition';

type Stored = Pick<ScheduleDefinition, 'spec' | 'action' | 'policies'>;

/** A part of a definition, as it is stored. */
export type DefinitionPart = keyof Stored;

export type Legible<Row> = Row & {
  /** The parts of the stored definition that are damaged, and have a stand-in here. */
  damaged: readonly DefinitionPart[];
};

const { catchupLimit, preStart } = DEFAULTS.policies;
/** These policies stand in for damaged ones. An update that gives no policies stores them. */
const DEFAULT_POLICIES: EffectivePolicies = { ...UNREADABLE.policies, catchupLimit, preStart };

/**
 * The policies that an update of the schedule starts from. If the stored action or policies cannot be used, each
 * missing policy gets its default, so that a missing limit does not mean "no limit". Otherwise the policies are as
 * stored.
 */
export function completedPolicies(stored: Pick<Stored, 'action' | 'policies'>): EffectivePolicies {
  return problemOfStored(stored) ? { ...DEFAULT_POLICIES, ...stored.policies } : stored.policies;
}

/**
 * The row with a stand-in for each damaged part of its definition, and the damage as `specError`. A damaged definition
 * must not hide the rest of the schedule, or other schedules of a list.
 */
export function legible<Row extends Stored & { specError?: string | null }>(row: Row): Legible<Row> {
  const { spec, action, policies, specError } = row;
  const damaged = (['spec', 'action', 'policies'] as const).filter((part) => !isRecord(row[part]));
  const problem = isRecord(spec) ? problemOfStored(row) : new Error('the stored spec of the schedule is not an object');
  if (problem === undefined) return { ...row, damaged };
  // A newer trigger may understand a definition that this version does not know, so such a definition gets no
  // `specError`.
  const isDamaged = !(problem instanceof UnknownDefinitionError);
  return {
    ...row,
    damaged,
    spec: isRecord(spec) ? spec : {},
    action: isRecord(action) ? action : UNREADABLE.action,
    policies: isRecord(policies) ? policies : DEFAULT_POLICIES,
    ...(specError === null && isDamaged ? { specError: problem.message } : {}),
  };
}
