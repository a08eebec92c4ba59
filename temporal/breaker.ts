import { grpcCodeOf, isOfNamespace } from './errors';
import { TemporalCallError } from './port';

/** How long a namespace that does not answer is left alone. */
const PAUSE_MILLISECONDS = 1_000;
/** While it is asked whether it answers, it is asked again this often: a call that is lost says nothing of the next. */
const ASKED_EVERY_MILLISECONDS = 1_000;

/** Who is told of a namespace that does not answer. */
export interface BreakerListener {
  /** A second call was refused too, or got no answer. */
  onAway(error: TemporalCallError): void;
  /** It answers again. */
  onBack(): void;
}

/** Why and since when a namespace is not called. Instants are epoch milliseconds. */
interface Opened {
  error: TemporalCallError;
  since: number;
  until: number;
  /** Since when every answer is a refusal; undefined where the last call was not answered. */
  refusedSince: number | undefined;
}

/**
 * Whether a namespace answers. A call that fails may be one bad request, so a second, neutral call asks the namespace. If that
 * fails as well, the namespace is away, and nobody calls it until a neutral call is answered.
 */
export class Breaker {
  #opened: Opened | undefined;
  #answers = 0;
  #asking: Promise<TemporalCallError | undefined> | undefined;

  /** @param ask a call that any namespace that answers takes, and that says nothing of any request */
  constructor(
    private readonly ask: () => Promise<unknown>,
    private readonly now: () => number,
    private readonly listener: BreakerListener,
  ) {}

  /** Whether it did not answer when it was last asked. */
  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  /** Until when nobody asks it; undefined where it may be asked now. */
  get leftAloneUntil(): number | undefined {
    return this.#opened && this.#opened.until > this.now() ? this.#opened.until : undefined;
  }

  /** Why it is not called. */
  get error(): TemporalCallError | undefined {
    return this.#opened?.error;
  }

  /** Since when it is not called. */
  get openSince(): number | undefined {
    return this.#opened?.since;
  }

  /** Since when it answers, and refuses all. */
  get refusedSince(): number | undefined {
    return this.#opened?.refusedSince;
  }

  /** Whether it may be called. Asks one that was away, once its pause is over. */
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
   * @throws {TemporalCallError} that says whether it is the namespace's, where the call was not answered or was refused
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
      this.#noteAnswer();
      throw error;
    }
  }

  /** Whose a failure is: the request's alone where others pass. */
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

  /** Callers that ask at once share the answer. */
  #askTogether(because = this.#opened?.error): Promise<TemporalCallError | undefined> {
    this.#asking ??= this.#askRepeatedly(because).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Until it answers, or has not answered the first of these calls. */
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

  /** @returns why it is away; a role that may not make this very call is told so by a server that answers */
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
    // Calls that were under way together fail together, and count once.
    if (this.leftAloneUntil !== undefined) return;
    this.#opened = { error, since: this.#opened?.since ?? now, until: now + PAUSE_MILLISECONDS, refusedSince };
    this.listener.onAway(error);
  }

  #noteAnswer(): void {
    this.#answers += 1;
    if (!this.#opened) return;
    this.#opened = undefined;
    this.listener.onBack();
  }
}
