import { DEFAULTS } from '../../core/defaults';
import { UnknownDefinitionError } from '../../core/definition/stored-definition';
import { nameOf } from '../../core/firing';
import { requestIdOf } from '../../core/identity';
import type { StartedFiring } from '../../store/firings/link';
import { type PreviousFiring, readPrevious } from '../../store/firings/previous';
import type { StartableFiring } from '../../store/firings/start';
import { readStartPayloads, type StartPayload } from '../../store/schedules/due';
import type { CallLease } from '../../temporal/call-lease';
import { TemporalCallError, type WorkflowStart } from '../../temporal/port';
import { cancelAtOf } from '../claim/soft-timeout';
import { concurrently } from '../concurrently';
import type { TriggerContext } from '../context';
import { type CompiledDefinition, dueAtOf, versionName } from '../definitions';
import { allEnd } from '../lanes';
import { previousOf } from './previous';
import { settleRejected, settleTaken } from './settle-refused';
import type { CallEnd } from './starts-in-flight';
import { summaryOf } from './summary';

/**
 * How one start call ended. `away`: the namespace does not answer, or refuses every call. `failing`: only this start
 * was refused or got no answer. `busy`: the server refused the call because it is overloaded. `refused`: the start was
 * rejected, or its workflow ID is taken. `failed`: another error. `unsent`: no call, since the lease was over, the
 * server had lately been busy, or the trigger is stopping. `answeredAt` is in epoch milliseconds.
 */
export type StartOutcome =
  | { kind: 'started'; firing: StartableFiring; started: StartedFiring; dueAt: Date; answeredAt: number }
  | { kind: 'away'; firing: StartableFiring; error: TemporalCallError; sent: boolean }
  | { kind: 'failing'; firing: StartableFiring; error: TemporalCallError; sent: boolean }
  | { kind: 'busy'; firing: StartableFiring; error: TemporalCallError }
  | { kind: 'refused'; firing: StartableFiring }
  | { kind: 'failed'; firing: StartableFiring; error: unknown }
  | { kind: 'unsent'; firing: StartableFiring };

/**
 * Call start for each firing, with the exceptions that {@link StartOutcome} names. The function throws only before it
 * has called any start.
 */
export async function callStarts(
  context: TriggerContext,
  firings: StartableFiring[],
  lease: CallLease,
): Promise<StartOutcome[]> {
  const definitions = await context.definitions.load(context.store, firings);
  const carrying = firings.filter((firing) => definitions(firing).hasPayload);
  // Side by side, since while Postgres is slow each read may take seconds of the lease.
  const [payloadRows, previousRows] = await allEnd([
    readStartPayloads(context.store, carrying),
    readPrevious(context.store, firings),
  ]);
  const payloads = new Map(payloadRows.map((row) => [versionName(row), row]));
  const previous = new Map(previousRows.map((row) => [nameOf(row), row.previous]));
  const outcomes = await concurrently(
    firings,
    context.limits.startsInFlight,
    context.stopping,
    async (firing): Promise<StartOutcome> => {
      const definition = definitions(firing);
      return throughGate(context, firing, async () => {
        if (lease.isOver() || context.stopping.aborted) return { kind: 'unsent', firing };
        return callStart(context, firing, definition, () =>
          workflowStart(context, readable(definition), firing, lease, {
            ...(payloads.get(versionName(firing)) ?? { args: null, action: definition.action }),
            previous: previous.get(nameOf(firing)),
          }),
        );
      });
    },
  );
  return outcomes.map((outcome, index) => outcome ?? { kind: 'unsent', firing: firings[index]! });
}

/** @throws {TemporalCallError} if this process cannot read the definition: `refused` if a newer program may read it */
function readable(definition: CompiledDefinition): CompiledDefinition {
  const { unreadable } = definition;
  if (unreadable === undefined) return definition;
  if (unreadable instanceof UnknownDefinitionError) {
    throw new TemporalCallError(unreadable.message, 'refused', { unsent: true });
  }
  throw new TemporalCallError(unreadable.message, 'rejected');
}

async function throughGate(
  { clock, gates, rates }: TriggerContext,
  firing: StartableFiring,
  call: () => Promise<StartOutcome>,
): Promise<StartOutcome> {
  const gate = gates.of(firing.namespace);
  await gate.enter(isOnTime(firing, clock.now()));
  let end: CallEnd = 'other';
  const sentAt = performance.now();
  try {
    if (gate.pause > 0) return { kind: 'unsent', firing };
    const outcome = await call();
    end = endOf(outcome);
    if (end === 'answered') (isAhead(firing, clock.now()) ? rates.ahead : rates.due).started(gate.isLoaded);
    return outcome;
  } finally {
    gate.leave(end, performance.now() - sentAt);
  }
}

function endOf(outcome: StartOutcome): CallEnd {
  if (outcome.kind === 'started') return 'answered';
  if (outcome.kind === 'busy') return 'busy';
  const isUnheard = outcome.kind === 'away' || outcome.kind === 'failing';
  return isUnheard && outcome.sent && outcome.error.kind === 'away' ? 'lost' : 'other';
}

/** Whether the firing should start now: it is neither late nor handed over ahead. */
function isOnTime(firing: StartableFiring, now: number): boolean {
  const { late, readyAt, claimedAt } = firing;
  return !late && !isAhead(firing, now) && now - (readyAt ?? claimedAt).getTime() <= DEFAULTS.onTimeMilliseconds;
}

function isAhead({ startsAt }: StartableFiring, now: number): boolean {
  return (startsAt?.getTime() ?? 0) > now;
}

async function callStart(
  context: TriggerContext,
  firing: StartableFiring,
  definition: CompiledDefinition,
  build: () => WorkflowStart,
): Promise<StartOutcome> {
  try {
    const { runId } = await context.temporal.of(firing.namespace).startWorkflow(build());
    return {
      kind: 'started',
      firing,
      answeredAt: context.clock.now(),
      dueAt: dueAtOf(definition, firing),
      started: {
        ...firing,
        runId,
        cancelAt: cancelAtOf(context, definition, firing),
        // A run that an earlier call started may have ended so long ago that the lists of ended runs no longer cover
        // its end. A poll finds that end.
        pollAfterMilliseconds: firing.calledBefore ? 0 : context.ends.firstPollAfter(firing.namespace),
      },
    };
  } catch (error) {
    return refuse(context, firing, error).catch((failure) => outcomeOf(firing, failure));
  }
}

async function refuse(context: TriggerContext, firing: StartableFiring, error: unknown): Promise<StartOutcome> {
  if (!(error instanceof TemporalCallError)) return { kind: 'failed', firing, error };
  if (error.kind === 'taken') await settleTaken(context, firing);
  else if (error.kind === 'rejected') await settleRejected(context, firing, error);
  else return outcomeOf(firing, error);
  return { kind: 'refused', firing };
}

function outcomeOf(firing: StartableFiring, error: unknown): StartOutcome {
  if (!(error instanceof TemporalCallError)) return { kind: 'failed', firing, error };
  if (error.kind === 'busy') return { kind: 'busy', firing, error };
  return { kind: error.ofNamespace ? 'away' : 'failing', firing, error, sent: !error.unsent };
}

function workflowStart(
  context: TriggerContext,
  { policies, spec }: CompiledDefinition,
  firing: StartableFiring,
  lease: CallLease,
  { action, args, previous }: StartPayload & { previous: PreviousFiring | undefined },
): WorkflowStart {
  return {
    firing,
    action,
    policies,
    args,
    requestId: requestIdOf(context.installationId, firing, firing.epoch),
    // A damaged spec may be null.
    summary: summaryOf(firing, (spec as typeof spec | null)?.timezone),
    delayMilliseconds: Math.max(0, (firing.startsAt?.getTime() ?? 0) - context.clock.now()),
    memo: {
      installation: context.installationId,
      scheduleId: firing.scheduleId,
      scheduledTime: firing.scheduledTime.toISOString(),
      kind: firing.kind,
      startAttempt: firing.startAttempts + 1,
      epoch: firing.epoch,
      ...(firing.actor ? { actor: firing.actor } : {}),
      ...(firing.recovery ? { recovery: firing.recovery } : {}),
      ...(firing.again ? { again: firing.again } : {}),
      ...(previous ? { previous: previousOf(previous) } : {}),
    },
    versioningOverride: firing.versioningOverride ?? undefined,
    lease,
  };
}
