import type { OverlapDecision } from '../../core/decisions/overlap';
import { workflowIdOf } from '../../core/identity';
import type { NewFiring } from '../../store/firings/claim';
import { dueAtOf } from '../definitions';
import type { Candidate } from './candidates';
import type { DuePlan } from './due-plan';
import { turnOf, turnOfReleased } from './turn';

const STATES = { claim: 'claimed', skip: 'skipped', supersede: 'skipped', wait: 'buffered' } as const;

export function newFiring(
  { timer, definition, startsAt }: DuePlan,
  candidate: Candidate,
  decision: OverlapDecision,
  reason: string | null,
  now: number,
): NewFiring {
  const { scheduleId, scheduledTime, kind, thawed } = candidate;
  const { workflowId, taskQueue } = definition.action;
  const turn = thawed ? turnOfReleased : turnOf;
  const { readyAt, late } = turn(kind, startsAt ?? dueAtOf(definition, candidate), now);
  return {
    scheduleId,
    scheduledTime,
    state: STATES[decision],
    reason,
    kind,
    namespace: definition.namespace,
    version: timer.version,
    workflowId: reason !== null ? null : workflowIdOf({ scheduleId, scheduledTime, workflowId, kind, epoch: 0 }),
    startsAt: startsAt ?? null,
    tenant: timer.tenant,
    taskQueue,
    readyAt,
    late,
  };
}
