import { keyOf, nameOf } from '../rows';
import type { FiringRow } from '../snapshot';
import { memoOf } from '../temporal';
import { checkOverlap } from './claims';
import type { Memory } from './memory';

/**
 * Chains that began in this step: one per firing, none early, and no more in parallel than the overlap policy allows.
 */
export function noteBegun(memory: Memory): void {
  const { begun, double } = memory.world.network;
  for (const { chain, beside } of begun.slice(memory.begunSeen)) {
    const { scheduleId, scheduledTime, epoch } = memoOf(chain);
    const time = Date.parse(scheduledTime);
    const name = `the chain of ${scheduleId} ${scheduledTime}`;
    const row = memory.after.firings.find((one) => one.schedule_id === scheduleId && one.scheduled_time === time);
    if (!row || row.epoch !== epoch || row.workflow_id !== chain.workflowId) {
      memory.problem(`${name} has no row`);
      continue;
    }
    if (row.kind !== 'manual' && chain.beginsAt < time) memory.problem(`${name} began early`);
    const former = memory.chainOf(row);
    const { model } = memory.world.schedules.find((one) => one.scheduleId === scheduleId)!;
    const isForgotten = former && !double.knows(former);
    // A person who restarts an uncertain firing accepts a possible duplicate.
    const isWanted =
      model.eras.some(({ policies }) => policies.onUncertain === 'START') || memory.restarts.has(keyOf(row));
    const mayDouble = isForgotten && isWanted;
    if (former && !mayDouble) memory.problem(`${name} began twice`);
    memory.chains.set(keyOf(row), chain);
    checkOverlap(memory, name, row, beside);
  }
  memory.begunSeen = begun.length;
}

/** A row and its chain must agree. */
export function checkChain(memory: Memory, row: FiringRow): void {
  const chain = memory.chainOf(row);
  const { double } = memory.world.network;
  const isKnown = chain !== undefined && double.knows(chain);
  const problem = (text: string) => memory.problem(`${nameOf(row)} ${text}`);
  if (row.state === 'linked' || row.state === 'closed') {
    if (!chain) problem('has no chain');
    else if (row.run_id !== chain.firstRunId) problem('names another run than its chain began with');
  } else if (isKnown && row.state !== 'claimed') {
    problem(`${row.outcome ?? ''} stands for no workflow, and one began`);
  }
  if (row.state !== 'closed' || !chain || memory.world.reset.has(chain)) return;
  const { outcome, closedAt } = double.stateOf(chain);
  if (row.outcome === 'unknown') {
    if (isKnown) problem('is closed as unknown, and Temporal knows it');
  } else if (row.outcome !== outcome || row.closed_at !== closedAt) {
    problem(`is closed as ${row.outcome}; its chain is ${outcome ?? 'running'}`);
  }
  const wanted = outcome === 'canceled' || outcome === 'terminated';
  if (wanted && !memory.world.endedByPerson.has(chain) && !mayInterrupt(memory, row.schedule_id)) {
    problem(`was ${outcome} by nobody`);
  }
}

function mayInterrupt(memory: Memory, scheduleId: string): boolean {
  const { setup, model } = memory.world.schedules.find((one) => one.scheduleId === scheduleId)!;
  if (setup.softTimeoutSeconds !== undefined || memory.interrupting.has(scheduleId)) return true;
  return model.eras.some(({ policies }) => interrupts(policies.overlap));
}

/** Firings that were asked for with a policy of their own by which others are ended. */
export function noteInterrupting(memory: Memory): void {
  for (const row of memory.after.firings) if (interrupts(row.overlap)) memory.interrupting.add(row.schedule_id);
}

function interrupts(overlap: string | null): boolean {
  return overlap === 'CANCEL_OTHER' || overlap === 'TERMINATE_OTHER';
}

/** Firings whose chain a person has reset after a failure, and whose new end is not recorded yet. */
export function unsettledResets(memory: Memory): string[] {
  const { double } = memory.world;
  return memory.after.firings
    .filter((row) => {
      const chain = memory.chainOf(row);
      if (!chain || !memory.world.reset.has(chain) || row.outcome === 'completed' || row.outcome === 'unknown')
        return false;
      if (!double.knows(chain)) return false;
      const { outcome, closedAt } = double.stateOf(chain);
      return row.outcome !== outcome || row.closed_at !== closedAt;
    })
    .map(nameOf);
}
