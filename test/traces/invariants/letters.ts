import { isFailure } from '../../../core/firing';
import { keyOf, nameOf, show } from '../rows';
import type { FiringRow, LetterRow, Snapshot } from '../snapshot';
import type { Memory } from './memory';

/** Compares the letters of a ledger with the ends of its firings, and with the parked steps. */
export class LetterInvariants {
  /** Firings, by key, that needed a letter at some time. */
  readonly #hasFailed = new Set<string>();

  constructor(private readonly memory: Memory) {}

  /** Each failure has a letter about it that is open or that a person has settled. A completed firing needs none. */
  check({ firings, letters }: Snapshot): void {
    this.#discards(letters);
    const of = new Map<string, LetterRow[]>();
    for (const letter of letters) {
      const name = `${letter.schedule_id} ${letter.scheduled_time}`;
      of.set(name, [...(of.get(name) ?? []), letter]);
    }
    for (const row of firings) {
      const own = of.get(`${row.schedule_id} ${row.scheduled_time}`) ?? [];
      const show = () => own.map(({ kind, state, epoch, run }) => `${kind} ${state} ${epoch} ${run}`).join(', ');
      if (needsLetter(row) && !own.some((letter) => letter.state !== 'resolved' && this.#isAbout(letter, row))) {
        this.memory.problem(`${nameOf(row)} has no letter of its failure, but [${show()}]`);
      }
      const unsettled = own.filter(({ state }) => state === 'open' || state === 'redriving');
      const chain = this.memory.chainOf(row);
      // A run that a person starts behind the ledger's back is not checked.
      const hasCompleted = row.outcome === 'completed' && !(chain && this.memory.world.reset.has(chain));
      if (hasCompleted && unsettled.length > 0) this.memory.problem(`${nameOf(row)} still has [${show()}]`);
      if (unsettled.filter((letter) => needsLetter(row) && this.#isAbout(letter, row)).length > 1) {
        this.memory.problem(`${nameOf(row)} has several letters of one failure: [${show()}]`);
      }
      if (this.#hasParked(row)) this.#hasFailed.add(keyOf(row));
      const hadNone = row.epoch === 0 && !needsLetter(row) && !this.#hasFailed.has(keyOf(row));
      if (hadNone && own.length > 0) this.memory.problem(`${nameOf(row)} has never failed, and has [${show()}]`);
      if (needsLetter(row)) this.#hasFailed.add(keyOf(row));
      this.#parked(row, own);
    }
  }

  /** Only a person discards a letter: at once, or when the decision has reached the parked step. */
  #discards(letters: LetterRow[]): void {
    const formerly = new Map(this.memory.before.letters.map((letter) => [letter.letter_id, letter]));
    for (const { letter_id, state, schedule_id, scheduled_time } of letters) {
      const former = formerly.get(letter_id);
      if (state !== 'discarded' || former?.state === 'discarded') continue;
      const isAskedFor =
        this.memory.world.discarding || (former?.state === 'redriving' && former.redrive?.mode === 'discard');
      if (!isAskedFor) this.memory.problem(`nobody discarded the letter of ${schedule_id} ${show(scheduled_time)}`);
    }
  }

  #hasParked(row: FiringRow): boolean {
    const chain = this.memory.chainOf(row);
    return chain !== undefined && this.memory.world.double.parked.has(chain);
  }

  /** A parked step has its letter, for a person or for a trigger. The end of its workflow leaves the letter open. */
  #parked(row: FiringRow, letters: LetterRow[]): void {
    const { double } = this.memory.world;
    const chain = this.memory.chainOf(row);
    const waiting = chain && double.parked.get(chain);
    if (!chain || !waiting || waiting.decided || this.memory.world.reset.has(chain)) return;
    const letter = letters.find(({ letter_id }) => letter_id === waiting.letterId);
    const state = letter?.state;
    if (double.isParked(chain)) {
      const isToBeTold = state === 'open' || (state === 'redriving' && letter!.redrive?.lookAt !== undefined);
      if (!isToBeTold) this.memory.problem(`${nameOf(row)} waits at a step whose letter is ${state}`);
    } else if (row.state === 'closed' && row.outcome !== 'completed' && row.outcome !== 'unknown') {
      const isSettled = state === 'open' || state === 'discarded';
      const isTriedAgain = state === 'redriving' && letter!.kind !== 'parked';
      if (!isSettled && !isTriedAgain)
        this.memory.problem(`${nameOf(row)} was ${row.outcome} at a step whose letter is ${state}`);
    }
  }

  #isAbout(letter: LetterRow, row: FiringRow): boolean {
    if (row.state === 'abandoned') return letter.kind === 'start' && letter.epoch === row.epoch;
    const chain = this.memory.chainOf(row);
    const failed = chain
      ?.runs(this.memory.world.clock.now())
      .filter(({ endsAt, end }) => endsAt === row.closed_at && end === row.outcome);
    if (letter.kind === 'start' || !chain || !failed) return false;
    return failed.some(({ runId }) => {
      const { activityId = null, childWorkflow } = this.memory.world.double.stepOf(chain, runId) ?? {};
      const isSameStep = letter.activity === activityId && letter.child === (childWorkflow?.workflowId ?? null);
      return runId === letter.run && isSameStep;
    });
  }
}

function needsLetter(row: FiringRow): boolean {
  return row.state === 'abandoned' || (row.outcome !== null && isFailure(row.outcome));
}
