import {
  condition,
  defineQuery,
  defineSignal,
  getCurrentDetails,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ParkedStep } from '../core/letters/failed-step';
import {
  BURY_AGAIN,
  type BuryAnswer,
  type BuryRequest,
  PARK_SIGNAL,
  PARKED_QUERY,
  type ParkDecision,
} from '../core/letters/park';
import { BURY_AGAIN_PATCH } from '../core/letters/park-patch';

const parkSignal = defineSignal<[(ParkDecision | typeof BURY_AGAIN)?, unknown?]>(PARK_SIGNAL);
const parkedQuery = defineQuery<ParkedStep[]>(PARKED_QUERY);

type Letter = Omit<Extract<BuryAnswer, { decision: 'park' }>, 'decision'>;
type BuryAgain = (known: Pick<BuryRequest, 'letterId' | 'again'>) => Promise<BuryAnswer>;

interface Entry {
  step: ParkedStep;
  /** Undefined until the ledger has answered. */
  letter?: Letter;
  buryAgain?: BuryAgain;
  verdict?: ParkVerdict;
}

/** What was decided of a parked step; only `complete` has a result. */
export interface ParkVerdict {
  decision: ParkDecision['decision'];
  result: unknown;
}

const DECISIONS: readonly unknown[] = ['redrive', 'discard', 'complete'] satisfies ParkDecision['decision'][];

/** The steps of one run that are parked, shown in the workflow's details and by a query, and decided by a signal. */
export class ParkingLot {
  readonly #entries = new Set<Entry>();
  #burials = 0;
  /** The last step that each run parked: a reset takes steps along, which a decision on a later one is for as well. */
  readonly #lastOf = new Map<string, number>();
  #detailsBefore: string | undefined;

  /** Before the step is parked: whoever reads of it may decide at once. */
  enter(failed: Omit<ParkedStep, 'burial'>) {
    this.#burials += 1;
    // Only now: a handler that is there from the start would change what unknown signals and queries do.
    if (this.#burials === 1) this.#listen();
    const entry: Entry = { step: { ...failed, burial: this.#burials } };
    this.#entries.add(entry);
    return {
      step: entry.step,
      /** Waits without a timer, until it is decided or the scope is cancelled. */
      decided: async (letter: Letter, buryAgain: BuryAgain): Promise<ParkVerdict & Pick<Letter, 'letterId'>> => {
        entry.buryAgain = buryAgain;
        this.#hasLetter(entry, letter);
        await condition(() => entry.verdict !== undefined);
        return { ...entry.verdict!, letterId: entry.letter!.letterId };
      },
      leave: () => {
        this.#entries.delete(entry);
        this.#show();
      },
    };
  }

  #listen(): void {
    // Whoever sends it by hand may leave its argument out, which must not break the workflow.
    setHandler(parkSignal, (given, result) => {
      if (given?.decision === BURY_AGAIN.decision) return this.#buryAgain();
      if (!given || !DECISIONS.includes(given.decision)) return;
      const { decision, letterId } = given;
      // A result is that of one step.
      if (decision === 'complete' && letterId === undefined) return;

      const isMeant = letterId === undefined ? this.#upTo(given) : only(given);
      for (const entry of this.#entries) if (isMeant(entry)) entry.verdict ??= { decision, result };
    });
    setHandler(parkedQuery, () => [...this.#entries].map(({ step }) => step));
  }

  #hasLetter(entry: Entry, letter: Letter): void {
    entry.letter = letter;
    // Answers come in any order.
    this.#lastOf.set(letter.runId, Math.max(this.#lastOf.get(letter.runId) ?? 0, entry.step.burial));
    this.#show();
  }

  /** Make sure of the letters of all that waits. In a history from before this was known nothing was done. */
  #buryAgain(): void {
    const waiting = [...this.#entries].filter(({ letter, verdict }) => letter && !verdict);
    if (waiting.length === 0 || !patched(BURY_AGAIN_PATCH)) return;
    for (const entry of waiting) {
      const { letterId, runId } = entry.letter!;
      entry.buryAgain!({ letterId, again: { runId, askedAt: Date.now() } }).then(
        (answer) => {
          // Where the ledger has no such firing, the step waits on.
          if (answer.decision === 'park') this.#hasLetter(entry, answer);
        },
        // Cancelled with its workflow.
        () => {},
      );
    }
  }

  /** What a run has parked that is not this workflow's past, such as before a reset to an earlier step, is not meant. */
  #upTo(decision: ParkDecision): (entry: Entry) => boolean {
    const last = this.#lastMeant(decision);
    return ({ step }) => step.burial <= last;
  }

  #lastMeant({ burial = Number.POSITIVE_INFINITY, runId }: ParkDecision): number {
    if (runId === undefined) return burial;
    // Whoever reads of a letter may decide before its answer is here; one of an older version names no run.
    const unnamed = [...this.#entries].filter(({ letter }) => !letter?.runId).map(({ step }) => step.burial);
    return Math.min(burial, Math.max(this.#lastOf.get(runId) ?? 0, ...unnamed));
  }

  #show(): void {
    const parked = [...this.#entries].filter(({ letter }) => letter !== undefined);
    if (parked.length > 0) {
      this.#detailsBefore ??= getCurrentDetails();
      setCurrentDetails(parked.map(describe).join('\n\n'));
    } else if (this.#detailsBefore !== undefined) {
      setCurrentDetails(this.#detailsBefore);
      this.#detailsBefore = undefined;
    }
  }
}

/** The one step of a letter. One whose answer is not here yet was parked by this very run, or waits for no letter that is read. */
function only({ letterId, burial, runId }: ParkDecision): (entry: Entry) => boolean {
  return ({ step, letter }) => {
    if (burial !== undefined && step.burial !== burial) return false;
    if (!letter) return burial !== undefined && runId === workflowInfo().runId;
    return letter.letterId === letterId && (runId === undefined || letter.runId === runId);
  };
}

function describe({ step, letter }: Entry): string {
  const { type, message } = step.failure;
  return `Parked at \`${step.activityType}\` (${type}: ${message}). Redrive or discard dead letter ${letter!.letterId}.`;
}
