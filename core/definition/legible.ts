import type { ScheduleDefinition } from './definition';
import { isRecord, problemOfStored, UNREADABLE, UnknownDefinitionError } from './stored-definition';

type Stored = Pick<ScheduleDefinition, 'spec' | 'action' | 'policies'>;

/**
 * The row with a stand-in for each damaged part of its definition, and the damage as `specError`. A damaged definition
 * must not hide the rest of the schedule, or other schedules of a list.
 */
export function legible<Row extends Stored & { specError?: string | null }>(row: Row): Row {
  const { spec, action, policies, specError } = row;
  const problem = isRecord(spec) ? problemOfStored(row) : new Error('the stored spec of the schedule is not an object');
  if (problem === undefined) return row;
  // A newer trigger may understand a definition that this version does not know, so that is no `specError`.
  const isDamaged = !(problem instanceof UnknownDefinitionError);
  return {
    ...row,
    spec: isRecord(spec) ? spec : {},
    action: isRecord(action) ? action : UNREADABLE.action,
    policies: isRecord(policies) ? policies : UNREADABLE.policies,
    ...(specError === null && isDamaged ? { specError: problem.message } : {}),
  };
}
