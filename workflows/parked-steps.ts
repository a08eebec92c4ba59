import {
  CancellationScope,
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
import { BURY_AGAIN_ENDS_PATCH, BURY_AGAIN_PATCH, EARLY_DECISION_PATCH } from '../core/letters/park-patch';

export type ParkSignal = [given?: ParkDecision | typeof BURY_AGAIN, result?: unknown];

const parkSignal = defineSignal<ParkSignal>(PARK_SIGNAL);
const parkedQuery = defineQuery<ParkedStep[]>(PARKED_QUERY);

type Letter = Omit<Extract<BuryAnswer, { decision: 'park' }>, 'decision'>;
type BuryAgain = (known: Pick<BuryRequest, 'letterId' | 'again'>) => Promise<BuryAnswer>;

interface Entry {
  step: ParkedStep;
  /** The letter of the step; undefined until the ledger has answered. */
  letter?: Letter;
  buryAgain?: BuryAgain;
  /** The scopes of unanswered checks of the letter, which are cancelled when the step stops waiting. */
  readonly asked: Set<CancellationScope>;
  /**
   * Decisions that arrived before the letter, in the order of arrival. The letter shows which of them are about the
   * step.
   */
  readonly early: EarlyDecision[];
  verdict?: ParkVerdict;
}

interface EarlyDecision {
  given: ParkDecision;
  verdict: ParkVerdict;
  /** Whether the decision arrived before the run had seen the step fail. */
  isBeforeFailure: boolean;
}

export interface ParkVerdict {
  decision: ParkDecision['decision'];
  result: unknown;
}

const DECISIONS: readonly unknown[] = ['redrive', 'discard', 'complete'] satisfies ParkDecision['decision'][];

/** The steps of one run that are parked or about to be parked. */
export class ParkedSteps {
  readonly #entries = new Set<Entry>();
  #burials = 0;
  /**
   * For each run of the chain, the number of the last step that it has parked. After a reset, parked steps wait in
   * another run, and decisions that name the old run still apply to them.
   */
  readonly #lastOf = new Map<string, number>();
  /**
   * Decisions about steps that the run has not seen fail yet. The worker may have died after it wrote the letter of
   * such a step, and before its workflow task was complete. The next task then delivers the decision before the
   * failure.
   */
  readonly #beforeFailure: EarlyDecision[] = [];
  #isListening = false;
  /** Signals that arrived before the run listened, which the workflow's own default handler would get. */
  readonly #kept: ParkSignal[] = [];
  /** The text about parked steps in the workflow's current details; undefined while no step is parked. */
  #shown: string | undefined;
  /** The details that the workflow itself has set last, as far as they were seen here. */
  #ownDetails = '';

  get isListening(): boolean {
    return this.#isListening;
  }

  keep(signal: ParkSignal): void {
    this.#kept.push(signal);
  }

  /** Call this before the step's letter is written, since a decision may arrive at once. */
  enter(failed: Omit<ParkedStep, 'burial'>) {
    // Register the handlers only now: if they existed from the start, they would change how unknown signals and queries
    // behave. Signals that have waited for the handler arrive at once.
    if (!this.#isListening) this.#listen();
    this.#burials += 1;
    const burial = this.#burials;
    const early = this.#beforeFailure.filter(({ given }) => given.burial === burial);
    const entry: Entry = { step: { ...failed, burial }, asked: new Set(), early };
    this.#entries.add(entry);
    return {
      step: entry.step,
      /** Waits, without a timer, for a decision about the step. Throws if the step's scope is cancelled. */
      decided: async (letter: Letter, buryAgain: BuryAgain): Promise<ParkVerdict & Pick<Letter, 'letterId'>> => {
        entry.buryAgain = buryAgain;
        this.#hasLetter(entry, letter);
        entry.verdict ??= verdictFor(letter, entry.early);
        await condition(() => entry.verdict !== undefined);
        return { ...entry.verdict!, letterId: entry.letter!.letterId };
      },
      leave: () => {
        this.#entries.delete(entry);
        // If the unanswered checks of the step continued, they could write a letter that nobody needs.
        for (const scope of entry.asked) scope.cancel();
        this.#show();
      },
    };
  }

  #listen(): void {
    this.#isListening = true;
    setHandler(parkSignal, (...signal) => this.#decide(...signal));
    for (const signal of this.#kept) this.#decide(...signal);
    setHandler(parkedQuery, () => [...this.#entries].map(({ step }) => step));
  }

  #decide(given?: ParkSignal[0], result?: unknown): void {
    // A signal that a person sends by hand may lack its argument, and must not break the workflow.
    if (given?.decision === BURY_AGAIN.decision) {
      this.#buryAgain();
      return;
    }
    if (!given || !DECISIONS.includes(given.decision)) return;
    const { decision, letterId } = given;
    // A result must belong to exactly one step.
    if (decision === 'complete' && letterId === undefined) return;

    const verdict = { decision, result };
    const isMeant = letterId === undefined ? this.#upTo(given) : only(given);
    for (const entry of this.#entries) {
      if (!isMeant(entry)) continue;
      if (entry.letter) entry.verdict ??= verdict;
      else entry.early.push({ given, verdict, isBeforeFailure: false });
    }
    if (letterId !== undefined && (given.burial ?? 0) > this.#burials) {
      this.#beforeFailure.push({ given, verdict, isBeforeFailure: true });
    }
  }

  #hasLetter(entry: Entry, letter: Letter): void {
    entry.letter = letter;
    // The answers of the parking activity may arrive in any order.
    this.#lastOf.set(letter.runId, Math.max(this.#lastOf.get(letter.runId) ?? 0, entry.step.burial));
    this.#show();
  }

  /** Checks that the ledger still has the letters of the waiting steps. */
  #buryAgain(): void {
    const waiting = [...this.#entries].filter(({ letter, verdict }) => letter && !verdict);
    if (waiting.length === 0 || !patched(BURY_AGAIN_PATCH)) return;
    // The patch is requested here, and not when a step ends: by then, a replay may already have the answer to the
    // check. In a history from before this patch, a check continues after its step has ended.
    const ends = patched(BURY_AGAIN_ENDS_PATCH);
    for (const entry of waiting) {
      const { letterId, runId } = entry.letter!;
      const scope = new CancellationScope();
      if (ends) entry.asked.add(scope);
      scope
        .run(() => entry.buryAgain!({ letterId, again: { runId, askedAt: Date.now() } }))
        .then(
          (answer) => {
            // After any other answer, the step continues to wait.
            if (answer.decision === 'park') this.#hasLetter(entry, answer);
          },
          // The check was cancelled together with its step or its workflow.
          () => {},
        )
        .finally(() => entry.asked.delete(scope));
    }
  }

  /**
   * Selects the steps up to the last one that the decision's run has parked in this history. After a reset to an
   * earlier step, later numbers of that run belong to no step of this history.
   */
  #upTo(decision: ParkDecision): (entry: Entry) => boolean {
    const last = this.#lastMeant(decision);
    return ({ step }) => step.burial <= last;
  }

  #lastMeant({ burial = Number.POSITIVE_INFINITY, runId }: ParkDecision): number {
    if (runId === undefined) return burial;
    // Steps whose run is unknown count as parked by the decision's run. The answer that names their letter is still on
    // its way, or an older version wrote it without the run.
    const unnamed = [...this.#entries].filter(({ letter }) => !letter?.runId).map(({ step }) => step.burial);
    return Math.min(burial, Math.max(this.#lastOf.get(runId) ?? 0, ...unnamed));
  }

  #show(): void {
    const parked = [...this.#entries].filter(({ letter }) => letter !== undefined);
    const current = getCurrentDetails();
    // The workflow has set its own details, perhaps while steps are parked.
    if (current !== this.#shown) this.#ownDetails = current;
    this.#shown = parked.length > 0 ? parked.map(describe).join('\n\n') : undefined;
    setCurrentDetails(this.#shown ?? this.#ownDetails);
  }
}

/**
 * Selects the step of one letter. While a step has no letter, its number selects it. Several steps that a run parked
 * before ledger schema 17 may share a letter, which has the number of the last one. A result is for that one alone.
 */
function only({ decision, letterId, burial, runId }: ParkDecision): (entry: Entry) => boolean {
  return ({ step, letter }) => {
    if (burial !== undefined && step.burial !== burial) {
      if (!letter || step.burial > burial || decision === 'complete') return false;
    }
    if (!letter) return burial !== undefined;
    return letter.letterId === letterId && (runId === undefined || letter.runId === runId);
  };
}

/**
 * The first early decision about the letter's step. A decision about one letter names the letter's run, and so does the
 * answer in the history. The ID of the current run cannot be compared instead, since a reset changes it.
 */
function verdictFor(letter: Letter, early: readonly EarlyDecision[]): ParkVerdict | undefined {
  // Letters of an older version do not name the run.
  const runId = letter.runId ?? workflowInfo().runId;
  return early.find(
    ({ given, isBeforeFailure }) =>
      (given.letterId === undefined || given.runId === runId) && (!isBeforeFailure || patched(EARLY_DECISION_PATCH)),
  )?.verdict;
}

function describe({ step, letter }: Entry): string {
  const { type, message } = step.failure;
  return `Parked at \`${step.activityType}\` (${type}: ${message}). Redrive or discard dead letter ${letter!.letterId}.`;
}
