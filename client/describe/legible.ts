import { isRecord, problemOfStored, UNREADABLE, UnknownDefinitionError } from '../../core/definition/stored-definition';
import type { ScheduleRow } from '../../store/reads/read-schedules';

type Stored = Pick<ScheduleRow, 'spec' | 'action' | 'policies'>;

/**
 * The row with stand-ins for what of its definition is no object, as a damage left it, and why it cannot be fired by. It must not hide
 * the rest of the schedule, nor the others of a list.
 */
export function legible<Row extends Stored & { specError?: string | null }>(row: Row): Row {
  const { spec, action, policies, specError } = row;
  const problem = isRecord(spec)
    ? problemOfStored(row)
    : new Error('what is stored as spec of the schedule is no object');
  if (problem === undefined) return row;
  // What a newer trigger may fire is not set aside.
  const isDamaged = !(problem instanceof UnknownDefinitionError);
  return {
    ...row,
    spec: isRecord(spec) ? spec : {},
    action: isRecord(action) ? action : UNREADABLE.action,
    policies: isRecord(policies) ? policies : UNREADABLE.policies,
    ...(specError === null && isDamaged ? { specError: problem.message } : {}),
  };
}
