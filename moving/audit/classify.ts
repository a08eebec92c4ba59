import { durationInWords } from '../../core/duration';
import type { OverlapPolicy } from '../../core/schedule/policies';
import type { AuditedTime, DueTime, StartedTime } from './classes';
import { Holders } from './holders';

/** The parts of a schedule's description that explain its past. Instants are epoch milliseconds. */
export interface AuditedState {
  overlap: OverlapPolicy;
  /** Whether the schedule is paused or has no actions left now; Temporal does not say since when. */
  stopped: 'paused' | 'completed' | undefined;
  /** The latest nominal time of the spec for which the schedule is known to have started a workflow. */
  lastStarted: number | undefined;
  /**
   * When the schedule's definition was last changed; undefined if never. Temporal's second scheduler also counts a
   * pause, an unpause, a manual trigger and a backfill.
   */
  changedAt: number | undefined;
  buffered: number;
}

/** The clock and the limits of an audit. Instants are epoch milliseconds. */
export interface AuditClock {
  now: number;
  /** A start with a longer delay counts as late, in milliseconds. */
  lateAfter: number;
  /** Workflows that closed before this time may no longer be in the namespace. */
  rememberedFrom: number;
}

/** Classifies the due times of one schedule, in chunks and in order. The class does no I/O. */
export class Classifier {
  readonly #holders = new Holders();
  #startedBefore = false;
  #buffered: number;

  constructor(
    private readonly state: AuditedState,
    private readonly clock: AuditClock,
  ) {
    this.#buffered = state.buffered;
  }

  /** Note runs that may be open at times that are classified later. */
  holdFrom(runs: Iterable<StartedTime>): void {
    if (this.state.overlap !== 'ALLOW_ALL') this.#holders.add(runs);
  }

  /** @param started the workflows of these times, and manual starts between them */
  *classify(times: readonly DueTime[], started: readonly StartedTime[]): Generator<AuditedTime> {
    const found = new Map(started.map((run) => [run.nominal, run]));
    // A workflow that started late counts as running from its due time on, since the server may decide about several
    // times at once.
    const duesOf = new Map(times.map(({ nominal, due }) => [nominal, due]));
    this.holdFrom(
      started.map((run) => {
        const due = duesOf.get(run.nominal) ?? run.start;
        return due < run.start ? { ...run, start: due, startedLate: run.start } : run;
      }),
    );
    for (const time of times) {
      const run = found.get(time.nominal);
      this.#holders.passTo(time.due);
      yield run ? this.#ofStarted(time, run) : this.#ofNothing(time);
      this.#startedBefore ||= run !== undefined;
    }
  }

  #ofStarted(time: DueTime, { workflowId, start }: StartedTime): AuditedTime {
    const lag = start - time.due;
    const answer = { ...time, workflowId, start };
    if (lag <= this.clock.lateAfter) return { ...answer, class: 'on_time' };
    // A run that continued or retried another one starts when that one ends, and the namespace may have removed that one.
    if (start < this.clock.rememberedFrom) {
      return { ...time, workflowId, class: 'unknown', reason: 'retention may have removed its first run' };
    }
    const holder = this.#holders.of(time.nominal);
    if (!holder) return { ...answer, class: 'late', reason: `started ${durationInWords(lag)} late` };
    const held = hadStarted(holder, time) ? 'still ran' : 'was due before it';
    return {
      ...answer,
      class: 'delayed',
      reason: `started ${durationInWords(lag)} late, since ${holder.workflowId} ${held}`,
    };
  }

  #ofNothing(time: DueTime): AuditedTime {
    const { overlap, stopped, lastStarted, changedAt } = this.state;
    const unknown = (reason: string): AuditedTime => ({ ...time, class: 'unknown', reason });
    if (time.due > this.clock.now - this.clock.lateAfter) {
      return { ...time, class: 'pending', reason: 'is not over yet' };
    }
    if (time.due < this.clock.rememberedFrom) return unknown("is older than the namespace's retention");
    const holder = this.#holders.of(time.nominal);
    if (holder) return this.#ofHeld(time, holder);
    if (stopped !== undefined && time.nominal > (lastStarted ?? Number.NEGATIVE_INFINITY)) {
      return unknown(
        stopped === 'paused'
          ? 'the schedule is paused now, and Temporal does not say since when'
          : 'the schedule has no actions left, and Temporal does not say since when',
      );
    }
    if (changedAt !== undefined && time.due < changedAt && !this.#startedBefore) {
      return unknown(
        `the schedule was changed at ${new Date(changedAt).toISOString()}, and may have had other times before`,
      );
    }
    const policy = overlap === 'ALLOW_ALL' ? '' : ', and none of it was running';
    return {
      ...time,
      class: 'missed',
      reason: `no workflow was started${policy}. Whether it was paused just then Temporal does not say`,
    };
  }

  /**
   * If the policy may buffer, the first times that are due during an open run are assumed to be those in the server's
   * buffer.
   */
  #ofHeld(time: DueTime, holder: StartedTime): AuditedTime {
    const runs = holder.end === Number.POSITIVE_INFINITY;
    if (runs && this.#buffered > 0 && this.state.overlap !== 'SKIP') {
      this.#buffered -= 1;
      return { ...time, class: 'pending', reason: `waits behind ${holder.workflowId}, which still runs` };
    }
    if (this.state.overlap === 'BUFFER_ALL') {
      return { ...time, class: 'missed', reason: `was to wait behind ${holder.workflowId}, and was never started` };
    }
    const ended = time.due - holder.end;
    const ran =
      ended > 0 ? `had ended ${durationInWords(ended)} before, which the server may not have known` : 'still ran';
    const reason = hadStarted(holder, time) ? ran : 'was due and had not started';
    return { ...time, class: 'skipped', reason: `${holder.workflowId} ${reason}` };
  }
}

function hadStarted({ start, startedLate = start }: StartedTime, { due }: DueTime): boolean {
  return startedLate <= due;
}
