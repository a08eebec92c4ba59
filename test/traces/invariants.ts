import { type FiringState, isFailure, TRANSITIONS } from '../../core/firing';
import { LetterInvariants } from './letters';
import { checkLiveness } from './liveness';
import type { Era, ModelSchedule } from './model';
import { isBeingReset, isOver, keyOf, keyOfChain, nameOf, restartOf, show } from './rows';
import { type FiringRow, type GapRow, type LetterRow, NOTHING_SEEN, type ScheduleRow, type Snapshot } from './snapshot';
import { memoOf, type PlayedChain } from './temporal';
import type { TracedSchedule, World } from './world';

/** What was seen of a firing when it was claimed. */
interface SeenClaim {
  /** Decided in this order. */
  claimedAt: number;
  scheduledTime: number;
  /** How many others may run for it to begin. */
  capacity: number;
  /** A person had it tried again alone, which waits for nothing: it may have begun beside what was claimed at that instant. */
  alone: boolean;
  /** Taken over from its trigger while its schedule was paused or deleted, with no start ever called. */
  recoveredWhileStopped: boolean;
}

/** Compares each state of a ledger with the one before, with the model, and with what Temporal did. */
export class Invariants {
  #before: Snapshot = NOTHING_SEEN;
  readonly #claims = new Map<string, SeenClaim>();
  /** The chain that stands for a firing: the latest one begun for it. */
  readonly #chains = new Map<string, PlayedChain>();
  /** Firings, by key, that were claimed anew for a letter. */
  readonly #restarts = new Set<string>();
  #begunSeen = 0;
  #resetsSeen = 0;
  #problems: string[] = [];

  readonly #letters: LetterInvariants;

  constructor(private readonly world: World) {
    const chainOf = (row: FiringRow) => this.#chains.get(keyOf(row));
    this.#letters = new LetterInvariants(world, chainOf, (text) => this.#problem(text));
  }

  /** What is wrong after a step; nothing, if all is well. */
  check(after: Snapshot): string[] {
    this.#problems = [...this.world.network.violations];
    const before = this.#before;
    this.#before = after;
    this.#resets(after);
    for (const schedule of this.world.schedules) {
      const { scheduleId, model } = schedule;
      const was = before.schedules.find((row) => row.schedule_id === scheduleId);
      const is = after.schedules.find((row) => row.schedule_id === scheduleId);
      if (!is) {
        this.#problem(`${scheduleId} has no row`);
        continue;
      }
      const eraBefore = model.era;
      this.#followChanges(schedule, was, is, after.firings);
      const of = <Row extends { schedule_id: string }>(rows: Row[]) =>
        rows.filter((row) => row.schedule_id === scheduleId);
      const firings = of(after.firings);
      const formerly = new Map(of(before.firings).map((row) => [row.scheduled_time, row]));
      for (const row of firings) this.#restarted(model, row, formerly.get(row.scheduled_time), after.letters);
      this.#answers(model, is, firings, of(after.gaps));
      if (was)
        this.#newAnswers(model, eraBefore, was, is, {
          firings,
          formerly,
          gaps: of(after.gaps),
          gapsBefore: of(before.gaps),
        });
      this.#remaining(model, is, firings);
      this.#pauses(model, was, is, firings, formerly);
      this.#wakes(model, is, firings);
      for (const row of firings) {
        this.#fields(row);
        this.#transition(row, formerly.get(row.scheduled_time), of(after.letters));
        this.#claim({ model, eraBefore, was }, row, formerly.get(row.scheduled_time));
        formerly.delete(row.scheduled_time);
      }
      for (const row of formerly.values()) {
        const wasAhead = row.reason === 'excluded' && was && row.scheduled_time > was.answered_to;
        if (!wasAhead) this.#problem(`${nameOf(row)} is gone`);
      }
    }
    this.#begun(after);
    for (const row of after.firings) this.#chain(row);
    this.#skips(before, after);
    this.#letters.check(after);
    checkLiveness(after, this.world.clock.now(), (text) => this.#problem(text));
    return this.#problems;
  }

  /** Firings whose chain a person reset after an end that needs one, and whose new end is not recorded. */
  unsettledResets(): string[] {
    const { double } = this.world;
    return this.#before.firings
      .filter((row) => {
        const chain = this.#chains.get(keyOf(row));
        if (!chain || !this.world.reset.has(chain) || row.outcome === 'completed' || row.outcome === 'unknown')
          return false;
        if (!double.knows(chain)) return false;
        const { outcome, closedAt } = double.stateOf(chain);
        return row.outcome !== outcome || row.closed_at !== closedAt;
      })
      .map(nameOf);
  }

  #problem(text: string): void {
    this.#problems.push(text);
  }

  /** A change that took effect, whether its process lived to hear of it or not. */
  #followChanges(schedule: TracedSchedule, was: ScheduleRow | undefined, is: ScheduleRow, firings: FiringRow[]): void {
    const { model, setup, wanted } = schedule;
    const changes = this.world.changes.get(is.schedule_id) ?? [];
    const now = this.world.clock.now();
    if (is.version > model.era.version) {
      if (changes.includes('create')) model.create(setup, now);
      if (changes.includes('update') && wanted) {
        schedule.setup = wanted;
        model.update(wanted, now);
      }
    }
    // Beside a claim an update may give back just what that took, and nobody sees which of them came first.
    const mayBeGiven = this.world.interleaved || is.remaining_actions !== was?.remaining_actions;
    if (changes.includes('update') && mayBeGiven) {
      const given = is.remaining_actions;
      const counted = this.world.interleaved ? firings : this.#before.firings;
      model.remainingActions = given === null ? undefined : given + takenActions(model, is.schedule_id, counted);
    }
    if (changes.includes('delete') && is.deleted) model.deleted = true;
    if (is.deleted !== model.deleted) this.#problem(`${is.schedule_id} is ${is.deleted ? '' : 'not '}deleted`);
    if (is.version !== model.era.version) this.#problem(`${is.schedule_id} is at version ${is.version}`);
    if (is.spec_error) this.#problem(`${is.schedule_id} was set aside: ${is.spec_error}`);
  }

  /** Every occurrence up to `answered_to` has exactly one answer, and nothing else has any. */
  #answers(model: ModelSchedule, { schedule_id: id, answered_to }: ScheduleRow, firings: FiringRow[], gaps: GapRow[]) {
    let answered = 0;
    let end = Number.NEGATIVE_INFINITY;
    for (const { from_time, to_time, count, reason } of gaps) {
      const name = `the gap ${show(from_time)}..${show(to_time)} (${count} ${reason}) of ${id}`;
      if (from_time <= end) this.#problem(`${name} overlaps the one before`);
      if (model.versionAt(from_time) === undefined || model.versionAt(to_time) === undefined) {
        this.#problem(`${name} begins or ends at no occurrence`);
      }
      const expected = model.count(from_time - 1, to_time);
      if (count !== expected) this.#problem(`${name} covers ${expected}`);
      answered += expected;
      end = to_time;
    }
    if (end > answered_to) this.#problem(`a gap of ${id} lies behind what is answered`);
    for (const row of firings) {
      if (row.kind === 'manual') continue;
      const version = model.versionAt(row.scheduled_time);
      const isBackfill = row.kind === 'backfill';
      const isExcluded = row.reason === 'excluded';
      if (isExcluded ? version === undefined : !isBackfill && version !== row.schedule_version) {
        this.#problem(`${nameOf(row)} is of version ${row.schedule_version}; the model says ${version}`);
      }
      if (row.claimed_at < row.scheduled_time && !isExcluded) this.#problem(`${nameOf(row)} was claimed early`);
      if (row.scheduled_time > answered_to) {
        if (!isBackfill && !isExcluded) this.#problem(`${nameOf(row)} lies behind what is answered`);
        continue;
      }
      // A backfill goes by the present definition, also where another one was in force.
      if (version === undefined) continue;
      if (!gaps.some((gap) => gap.from_time <= row.scheduled_time && row.scheduled_time <= gap.to_time)) answered += 1;
    }
    const expected = model.count(Number.NEGATIVE_INFINITY, answered_to);
    if (answered !== expected) {
      this.#problem(`${answered} of ${expected} occurrences of ${id} up to ${show(answered_to)} are answered`);
    }
  }

  /** What was answered in this step was answered as the policies say. */
  #newAnswers(
    model: ModelSchedule,
    eraBefore: Era,
    was: ScheduleRow,
    is: ScheduleRow,
    rows: { firings: FiringRow[]; formerly: Map<number, FiringRow>; gaps: GapRow[]; gapsBefore: GapRow[] },
  ): void {
    const id = is.schedule_id;
    const [from, to] = [was.answered_to, is.answered_to];
    if (to < from) {
      this.#problem(`what is answered of ${id} moved back`);
      return;
    }
    const changes = this.world.changes.get(id) ?? [];
    const now = this.world.clock.now();
    if (this.world.interleaved && changes.length > 0) return;
    const woke = changes.includes('unpause') && was.paused && !was.deleted;
    const revived = changes.includes('create') && was.deleted;
    const updated = changes.includes('update') && !was.deleted;
    const sleeping = was.paused ? 'paused' : was.remaining_actions === 0 ? 'completed' : undefined;
    if (!woke && !revived && !updated && (was.paused || was.deleted) && to > from) {
      this.#problem(`${id} sleeps, and was answered for`);
      return;
    }
    const expected =
      woke || revived
        ? model.asGap(from, to, revived ? 'deleted' : 'paused')
        : updated && sleeping
          ? model.asGap(from, to, sleeping)
          : to > from
            ? model.caughtUp(from, now, eraBefore)
            : model.asGap(from, from, 'nothing');
    const known = new Set(rows.gapsBefore.map(({ from_time, to_time }) => `${from_time} ${to_time}`));
    const added = rows.gaps
      .filter(({ from_time, to_time }) => !known.has(`${from_time} ${to_time}`))
      .map(({ from_time, to_time, count, reason }) => ({ from: from_time, to: to_time, count, reason }));
    // A firing that a person asked for before its occurrence was answered for, and that began before or beside that.
    const began = ({ kind, state }: FiringRow) => kind !== 'manual' && state !== 'buffered' && state !== 'skipped';
    const expectations = [rows.firings, [...rows.formerly.values()], []].map((firings) =>
      model.around(
        expected.gaps,
        firings.filter(began).map(({ scheduled_time }) => scheduled_time),
      ),
    );
    if (!expectations.some((gaps) => JSON.stringify(added) === JSON.stringify(gaps))) {
      this.#problem(`gaps of ${id}: ${showGaps(added)}; the model says ${showGaps(expected.gaps)}`);
    }
    for (const row of rows.firings) {
      if (row.kind === 'manual' || row.kind === 'backfill' || row.reason === 'excluded') continue;
      if (rows.formerly.has(row.scheduled_time)) continue;
      if (row.scheduled_time <= expected.rowsAfter) this.#problem(`${nameOf(row)} should be in a gap`);
      const kind = model.isOnTime(row.scheduled_time, now) ? 'schedule' : 'catchup';
      if (row.kind !== kind) this.#problem(`${nameOf(row)} is of kind ${row.kind}; the model says ${kind}`);
    }
  }

  #remaining(model: ModelSchedule, { schedule_id: id, remaining_actions }: ScheduleRow, firings: FiringRow[]): void {
    if (model.remainingActions === undefined) {
      if (remaining_actions !== null) this.#problem(`${id} counts actions`);
      return;
    }
    const taken = takenActions(model, id, firings);
    if (remaining_actions === null || remaining_actions < 0 || remaining_actions > model.remainingActions - taken) {
      this.#problem(`${id} took ${taken} of ${model.remainingActions} actions, and ${remaining_actions} remain`);
    }
  }

  /** Only a person pauses a schedule, or a failure where the policy says so; and then it does. */
  #pauses(
    model: ModelSchedule,
    was: ScheduleRow | undefined,
    is: ScheduleRow,
    firings: FiringRow[],
    formerly: Map<number, FiringRow>,
  ): void {
    const changes = this.world.changes.get(is.schedule_id) ?? [];
    if (!was || changes.includes('create')) return;
    const failed = firings.some(
      (row) =>
        row.outcome &&
        isFailure(row.outcome) &&
        row.schedule_version >= model.firstVersion &&
        formerly.get(row.scheduled_time)?.closed_at !== row.closed_at,
    );
    const byFailure = failed && model.era.policies.pauseOnFailure && !was.deleted;
    if (is.paused && !was.paused && !changes.includes('pause') && !byFailure)
      this.#problem(`${is.schedule_id} is paused`);
    if (!is.paused && was.paused && !changes.includes('unpause')) this.#problem(`${is.schedule_id} goes on`);
    if (byFailure && !is.paused && !changes.includes('unpause') && !is.deleted) {
      this.#problem(`${is.schedule_id} failed and was not paused`);
    }
  }

  /** Somebody looks at a schedule in time: at its next occurrence, and at once where what waits may go on. */
  #wakes(model: ModelSchedule, is: ScheduleRow, firings: FiringRow[]): void {
    const now = this.world.clock.now();
    const sleeps = is.paused || is.deleted || is.remaining_actions === 0;
    if (!sleeps && is.wake_at > Math.max(now + 1_000, model.next(is.answered_to))) {
      this.#problem(`${is.schedule_id} sleeps until ${show(is.wake_at)}, beyond its next occurrence`);
    }
    const waits = firings.some(({ state }) => state === 'buffered');
    const isHeld = firings.some(({ state }) => state === 'claimed' || state === 'linked');
    if (waits && !isHeld && is.wake_at > now) this.#problem(`firings of ${is.schedule_id} wait for nothing`);
  }

  /** The fields of a row fit its state. */
  #fields(row: FiringRow): void {
    const { state } = row;
    const expect = (holds: boolean, text: string) => {
      if (!holds) this.#problem(`${nameOf(row)}: ${text}`);
    };
    const isFinal = state === 'closed' || state === 'abandoned';
    expect((row.outcome !== null) === (state === 'closed'), 'an outcome and closed go together');
    expect((row.reason !== null) === (state === 'skipped' || state === 'abandoned'), 'a reason explains no firing');
    expect((row.run_id !== null) === (state === 'linked' || state === 'closed'), 'a run and a link go together');
    expect((row.linked_at !== null) === (state === 'linked' || state === 'closed'), 'linked_at is when it was linked');
    expect(!isFinal || row.closed_at !== null, 'an end has its time');
    expect(!(state === 'claimed' || state === 'linked') || row.check_at !== null, 'what is open is looked at again');
    expect(state !== 'claimed' || row.owner !== null, 'a claim has its owner');
    expect(state === 'claimed' || state === 'linked' || row.owner === null, 'only what is open has an owner');
    expect(state === 'skipped' || row.workflow_id !== null, 'it names its workflow');
    expect((row.kind === 'manual') === (row.scheduled_time % 1_000 !== 0), 'only manual firings have milliseconds');
    expect(row.start_attempted_at === null || row.first_attempted_at !== null, 'the first attempt is kept');
  }

  /** One that a person had tried again from the beginning is claimed anew, within its schedule's policy only where it waits its turn. */
  #restarted(model: ModelSchedule, row: FiringRow, former: FiringRow | undefined, letters: LetterRow[]): void {
    if (!former || !isOver(former) || former.claimed_at === row.claimed_at) return;
    const letter = restartOf(row, letters);
    if (!letter) return;
    const alone = !letter.redrive!.inTurn;
    const capacity = alone ? Number.POSITIVE_INFINITY : model.capacity(null);
    const { claimed_at: claimedAt, scheduled_time: scheduledTime } = row;
    this.#restarts.add(keyOf(row));
    this.#claims.set(keyOf(row), { claimedAt, scheduledTime, capacity, alone, recoveredWhileStopped: false });
  }

  /** Each change is a path of legal transitions; a reset, a restart and a person who has it run again alone take an end back. */
  #transition(row: FiringRow, former: FiringRow | undefined, letters: LetterRow[]): void {
    const from = former?.state ?? 'absent';
    if (from === row.state && former?.epoch === row.epoch) return;
    const chain = former && this.#chains.get(keyOf(former));
    const asked = {
      reset:
        (chain !== undefined && this.world.reset.has(chain)) || letters.some((letter) => isBeingReset(letter, row)),
      restart: this.#restarts.has(keyOf(row)),
      again: (this.world.changes.get(row.schedule_id) ?? []).includes('run again'),
    };
    if (former && row.epoch < former.epoch) this.#problem(`${nameOf(row)} went back to epoch ${row.epoch}`);
    if (!reachable(from, asked).has(row.state)) {
      this.#problem(`${nameOf(row)} went from ${from} to ${row.state}`);
    }
  }

  #claim(
    { model, eraBefore, was }: { model: ModelSchedule; eraBefore: Era; was: ScheduleRow | undefined },
    row: FiringRow,
    former: FiringRow | undefined,
  ): void {
    if (row.state === 'buffered' || row.state === 'skipped') return;
    const key = keyOf(row);
    const known = this.#claims.get(key);
    const changed = (this.world.changes.get(row.schedule_id) ?? []).length > 0;
    const isOfSpec = row.kind === 'schedule' || row.kind === 'catchup';
    const sleeps =
      !changed && !this.#restarts.has(key) && was !== undefined && (was.deleted || (was.paused && isOfSpec));
    if (!known) {
      if (sleeps) this.#problem(`${nameOf(row)} was claimed though its schedule is paused or deleted`);
      const { claimed_at: claimedAt, scheduled_time: scheduledTime } = row;
      const capacity = Math.max(model.capacity(row.overlap), model.capacity(row.overlap, eraBefore.policies));
      this.#claims.set(key, { claimedAt, scheduledTime, capacity, alone: false, recoveredWhileStopped: false });
      return;
    }
    // Its trigger died before anyone called its start, and the schedule does not want it any more. What is closed has no
    // owner, and was not taken over for that.
    const wasTakenOver =
      former?.state === 'claimed' &&
      former.first_attempted_at === null &&
      former.owner !== row.owner &&
      row.owner !== null;
    if (!wasTakenOver) return;
    known.recoveredWhileStopped = sleeps;
    if (known.recoveredWhileStopped && (row.state === 'linked' || row.state === 'closed')) {
      this.#problem(`${nameOf(row)} was recovered though its schedule is paused or deleted`);
    }
  }

  /** Chains that began in this step: one for a firing, none early, none beside more than overlap allows. */
  #begun(after: Snapshot): void {
    const { begun, double } = this.world.network;
    for (const { chain, beside } of begun.slice(this.#begunSeen)) {
      const { scheduleId, scheduledTime, epoch } = memoOf(chain);
      const time = Date.parse(scheduledTime);
      const name = `the chain of ${scheduleId} ${scheduledTime}`;
      const row = after.firings.find((one) => one.schedule_id === scheduleId && one.scheduled_time === time);
      if (!row || row.epoch !== epoch || row.workflow_id !== chain.workflowId) {
        this.#problem(`${name} has no row`);
        continue;
      }
      if (row.kind !== 'manual' && chain.beginsAt < time) this.#problem(`${name} began early`);
      const former = this.#chains.get(keyOf(row));
      const { model } = this.world.schedules.find((one) => one.scheduleId === scheduleId)!;
      const isForgotten = former && !double.knows(former);
      const mayDouble = isForgotten && model.eras.some(({ policies }) => policies.onUncertain === 'START');
      if (former && !mayDouble) this.#problem(`${name} began twice`);
      this.#chains.set(keyOf(row), chain);
      this.#overlap(name, row, beside);
      const claim = this.#claims.get(keyOf(row));
      if (claim?.recoveredWhileStopped) this.#problem(`${name} began though its schedule was paused or deleted`);
    }
    this.#begunSeen = begun.length;
  }

  #overlap(name: string, row: FiringRow, beside: PlayedChain[]): void {
    const claim = this.#claims.get(keyOf(row));
    if (!claim) {
      this.#problem(`${name} began without a claim`);
      return;
    }
    const earlier = beside.filter((chain) => {
      const other = this.#claims.get(keyOfChain(chain));
      if (!other || this.world.beyondPolicy.has(chain)) return false;
      const isAtOnce = other.claimedAt === claim.claimedAt && !other.alone;
      return other.claimedAt < claim.claimedAt || (isAtOnce && other.scheduledTime < claim.scheduledTime);
    });
    if (earlier.length >= claim.capacity) this.#problem(`${name} began beside ${earlier.length} that run`);
  }

  /** A row and the chain that stands for it agree. */
  #chain(row: FiringRow): void {
    const chain = this.#chains.get(keyOf(row));
    const { double } = this.world.network;
    const isKnown = chain !== undefined && double.knows(chain);
    const problem = (text: string) => this.#problem(`${nameOf(row)} ${text}`);
    if (row.state === 'linked' || row.state === 'closed') {
      if (!chain) problem('has no chain');
      else if (row.run_id !== chain.firstRunId) problem('names another run than its chain began with');
    } else if (isKnown && row.state !== 'claimed') {
      problem(`${row.outcome ?? ''} stands for no workflow, and one began`);
    }
    if (row.state !== 'closed' || !chain || this.world.reset.has(chain)) return;
    const { outcome, closedAt } = double.stateOf(chain);
    if (row.outcome === 'unknown') {
      if (isKnown) problem('is closed as unknown, and Temporal knows it');
    } else if (row.outcome !== outcome || row.closed_at !== closedAt) {
      problem(`is closed as ${row.outcome}; its chain is ${outcome ?? 'running'}`);
    }
    const wanted = outcome === 'canceled' || outcome === 'terminated';
    if (wanted && !this.world.endedByPerson.has(chain) && !this.#mayInterrupt(row.schedule_id)) {
      problem(`was ${outcome} by nobody`);
    }
  }

  #mayInterrupt(scheduleId: string): boolean {
    const { setup, model } = this.world.schedules.find((one) => one.scheduleId === scheduleId)!;
    const interrupts = (overlap: string | null) => overlap === 'CANCEL_OTHER' || overlap === 'TERMINATE_OTHER';
    if (setup.softTimeoutSeconds !== undefined) return true;
    if (model.eras.some(({ policies }) => interrupts(policies.overlap))) return true;
    return this.#before.firings.some((row) => row.schedule_id === scheduleId && interrupts(row.overlap));
  }

  /** What was skipped for overlap was skipped for something: it runs; or for one that has yet to begin, where it says so. */
  #skips(before: Snapshot, after: Snapshot): void {
    const now = this.world.clock.now();
    const formerly = new Map(before.firings.map((row) => [keyOf(row), row]));
    for (const row of after.firings) {
      if (row.state !== 'skipped' || formerly.get(keyOf(row))?.state === 'skipped') continue;
      if (row.reason !== 'overlap' && row.reason !== 'overlap_waiting' && row.reason !== 'superseded') continue;
      const holds = (other: FiringRow) => {
        if (other === row || other.schedule_id !== row.schedule_id) return false;
        const chain = this.#chains.get(keyOf(other));
        const runs = chain !== undefined && chain.endsAt >= now;
        if (runs || row.reason === 'overlap') return runs;
        if (other.state === 'claimed' || other.state === 'buffered') return true;
        return other.state === 'abandoned' && formerly.get(keyOf(other))?.state === 'claimed';
      };
      if (!after.firings.some(holds)) this.#problem(`${nameOf(row)} was skipped for nothing that runs`);
    }
  }

  /** A reset that waits its turn keeps to its schedule's policy; any other is a person's, past every policy. */
  #resets({ letters }: Snapshot): void {
    const { reset, beyondPolicy, network, interleaved, schedules } = this.world;
    for (const { chain, beside, requestId } of network.resets.slice(this.#resetsSeen)) {
      reset.add(chain);
      const letter = letters.find(({ redrive }) => redrive?.requestId === requestId);
      if (!letter?.redrive?.inTurn) {
        beyondPolicy.add(chain);
        continue;
      }
      const { model } = schedules.find(({ scheduleId }) => scheduleId === memoOf(chain).scheduleId)!;
      const others = beside.filter((other) => !beyondPolicy.has(other) && this.#claims.has(keyOfChain(other)));
      if (!interleaved && others.length >= model.capacity(null)) {
        this.#problem(`${keyOfChain(chain)} was resumed in its turn beside ${others.length} that run`);
      }
    }
    this.#resetsSeen = network.resets.length;
  }
}

/** Firings of the spec that have used an action since the schedule was created last. */
function takenActions(model: ModelSchedule, scheduleId: string, firings: FiringRow[]): number {
  const isTaken = ({ schedule_id, kind, state, schedule_version }: FiringRow) =>
    schedule_id === scheduleId &&
    (kind === 'schedule' || kind === 'catchup') &&
    state !== 'buffered' &&
    state !== 'skipped' &&
    schedule_version >= model.firstVersion;
  return firings.filter(isTaken).length;
}

/** States that a path of legal transitions leads to, out of an end only where somebody asked for it. */
function reachable(
  from: FiringState | 'absent',
  asked: { reset: boolean; restart: boolean; again: boolean },
): Set<string> {
  const reached = new Set<string>();
  const todo: (FiringState | 'absent')[] = [from];
  for (let state = todo.pop(); state; state = todo.pop()) {
    for (const to of TRANSITIONS[state]) {
      const isEnd = state === 'abandoned' || state === 'skipped' || state === 'closed';
      const isAskedFor =
        (to === 'linked' && asked.reset) || (to === 'claimed' && asked.restart) || (to === 'buffered' && asked.again);
      if ((isEnd && !isAskedFor) || reached.has(to)) continue;
      reached.add(to);
      todo.push(to);
    }
  }
  return reached;
}

function showGaps(gaps: { from: number; to: number; count: number; reason: string }[]): string {
  return (
    gaps.map(({ from, to, count, reason }) => `${show(from)}..${show(to)} ${count} ${reason}`).join(', ') || 'none'
  );
}
