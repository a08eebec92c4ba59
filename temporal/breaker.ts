import { grpcCodeOf, isMissingNamespace, isOfNamespace } from './errors';
import { TemporalCallError } from './port';

/** How long a namespace that is away is left alone after each failure. */
const PAUSE_MILLISECONDS = 1_000;
/**
 * While the breaker checks whether a namespace answers, it asks again at this interval: if one call is lost, the next
 * is not necessarily lost too.
 */
const ASKED_EVERY_MILLISECONDS = 1_000;
/** After an outage of this length, what was refused before it says little about the present. */
export const LONG_OUTAGE_MILLISECONDS = 10 * 60_000;

export interface BreakerListener {
  /** Called when the namespace becomes away, and each time that it is found away again after a pause. */
  onAway(error: TemporalCallError): void;
  onBack(): void;
}

/** Instants are in epoch milliseconds. */
interface Opened {
  error: TemporalCallError;
  since: number;
  until: number;
  /** Since when the namespace has refused every call; undefined if the last call got no answer. */
  refusedSince: number | undefined;
  /** Since when each check has found that the namespace does not exist. */
  missingSince: number | undefined;
}

/**
 * Knows whether a namespace answers. If a call is refused or gets no answer, its request or the namespace may be the
 * cause. If neither the error nor the answer to another call tells which, a neutral call checks the namespace. The
 * namespace is away if the neutral call gets no answer, the same refusal, or a refusal of the whole namespace. From
 * then on only the neutral call is repeated, with pauses, until the namespace answers.
 */
export class Breaker {
  #opened: Opened | undefined;
  #backSince: number | undefined;
  #answers = 0;
  #asking: Promise<TemporalCallError | undefined> | undefined;

  /** @param ask makes a call that every working namespace answers, independent of any request */
  constructor(
    private readonly ask: () => Promise<unknown>,
    private readonly now: () => number,
    private readonly listener: BreakerListener,
  ) {}

  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  get leftAloneUntil(): number | undefined {
    const left = (this.#opened?.until ?? 0) - this.now();
    // If more than a pause is left, the clock was set back.
    return left > 0 && left <= PAUSE_MILLISECONDS ? this.#opened?.until : undefined;
  }

  get error(): TemporalCallError | undefined {
    return this.#opened?.error;
  }

  get openSince(): number | undefined {
    return this.#opened?.since;
  }

  /** When the namespace last answered again after a long outage; undefined if there was none. */
  get backSince(): number | undefined {
    return this.#backSince;
  }

  get refusedSince(): number | undefined {
    return this.#opened?.refusedSince;
  }

  get missingSince(): number | undefined {
    return this.#opened?.missingSince;
  }

  async isReady(): Promise<boolean> {
    if (!this.#opened) return true;
    if (this.leftAloneUntil !== undefined) return false;
    const error = await this.#askTogether();
    if (error) this.#open(error);
    return error === undefined;
  }

  /**
   * Make a call, unless the namespace is away.
   *
   * @throws {TemporalCallError} if the call failed, or was not made; the error says whether it concerns the whole
   * namespace
   */
  async call<Result>(call: () => Promise<Result>): Promise<Result> {
    if (!(await this.isReady())) {
      const { error } = this.#opened!;
      throw new TemporalCallError(error.message, 'away', { cause: error, unsent: true, ofNamespace: true });
    }
    const before = this.#answers;
    try {
      const result = await call();
      this.#noteAnswer();
      return result;
    } catch (error) {
      if (!(error instanceof TemporalCallError)) throw error;
      if (error.kind === 'refused' || error.kind === 'away') throw await this.#blame(error, before);
      // A start that cannot be put into a request fails without a start call.
      if (!error.unsent) this.#noteAnswer();
      throw error;
    }
  }

  /**
   * Decides whether a failure comes from the request or from the namespace. A failure comes from the namespace if the
   * error itself says so, or if the namespace is away and its pause lasts. Otherwise it comes from the request if
   * another call has been answered meanwhile, or if the neutral call finds that the namespace answers.
   */
  async #blame(error: TemporalCallError, before: number): Promise<TemporalCallError> {
    const found = await this.#isOfNamespace(error, before);
    if (found) this.#open(found);
    const { message, kind, unsent, cause } = error;
    return new TemporalCallError(message, kind, { cause, unsent, ofNamespace: found !== undefined });
  }

  async #isOfNamespace(error: TemporalCallError, before: number): Promise<TemporalCallError | undefined> {
    if (isOfNamespace(error) || this.leftAloneUntil !== undefined) return error;
    if (this.#answers !== before) return undefined;
    const asked = await this.#askTogether(error);
    return asked && error;
  }

  /** Callers that ask at the same time share the answer. */
  #askTogether(because = this.#opened?.error): Promise<TemporalCallError | undefined> {
    this.#asking ??= this.#askRepeatedly(because).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Asks every second until one call is answered, or the call that was sent first has failed. */
  async #askRepeatedly(because: TemporalCallError | undefined): Promise<TemporalCallError | undefined> {
    let again: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        const askOnce = async () => {
          const error = await this.#askOnce(because);
          if (!error) resolve(undefined);
          return error;
        };
        again = setInterval(() => void askOnce().catch(() => {}), ASKED_EVERY_MILLISECONDS).unref();
        askOnce().then(resolve, reject);
      });
    } finally {
      clearInterval(again);
    }
  }

  /**
   * @returns why the namespace is away; undefined if it answers. A refusal is an answer too, unless it concerns the
   * whole namespace or has the same status as the refusal that is to be explained
   */
  async #askOnce(because: TemporalCallError | undefined): Promise<TemporalCallError | undefined> {
    try {
      await this.ask();
    } catch (error) {
      if (!(error instanceof TemporalCallError)) throw error;
      const isSameRefusal = because?.kind === 'refused' && grpcCodeOf(error) === grpcCodeOf(because);
      if (error.kind === 'away' || isOfNamespace(error) || (error.kind === 'refused' && isSameRefusal)) return error;
    }
    this.#noteAnswer();
    return undefined;
  }

  #open(error: TemporalCallError): void {
    const now = this.now();
    const refusedSince = error.kind === 'refused' ? (this.#opened?.refusedSince ?? now) : undefined;
    const missingSince = isMissingNamespace(error) ? (this.#opened?.missingSince ?? now) : undefined;
    // Calls that were in progress at the same time fail together, and count as one failure.
    if (this.leftAloneUntil !== undefined) return;
    const since = this.#opened?.since ?? now;
    this.#opened = { error, since, until: now + PAUSE_MILLISECONDS, refusedSince, missingSince };
    this.listener.onAway(error);
  }

  #noteAnswer(): void {
    this.#answers += 1;
    if (!this.#opened) return;
    const now = this.now();
    if (now - this.#opened.since >= LONG_OUTAGE_MILLISECONDS) this.#backSince = now;
    this.#opened = undefined;
    this.listener.onBack();
  }
}
