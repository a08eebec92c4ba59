import type { StoredSearchAttributes } from '../core/definition/search-attributes';
import type { FiringKey } from '../core/firing';
import { TemporalCallError } from './port';

/**
 * The search attributes that Temporal's own Schedules set. Temporal's UI uses them to find the workflows that a
 * schedule has started.
 */
export function scheduledAttributes({ scheduleId, scheduledTime }: FiringKey): StoredSearchAttributes {
  return {
    TemporalScheduledById: { type: 'Keyword', value: scheduleId },
    TemporalScheduledStartTime: { type: 'Datetime', value: scheduledTime.toISOString() },
  };
}

/** A query that a server accepts only if it knows the attributes. */
export const SCHEDULED_PROBE =
  "TemporalScheduledById = 'escapement' and TemporalScheduledStartTime > '2100-01-01T00:00:00Z'";

const ASK_AGAIN_MILLISECONDS = 60_000;

interface Answer {
  takes: Promise<boolean>;
  /**
   * Until when the answer is valid, on the process's monotonic clock. The time is infinite if the server accepted or
   * rejected the query.
   */
  until: number;
}

/**
 * Knows which namespaces accept {@link scheduledAttributes}. The attributes only help people and lists to find
 * workflows; the memo identifies the firing. As long as it is unknown whether a namespace accepts the attributes,
 * starts carry none. The namespace is asked by a query and not by a start, since the time-skipping server refuses such
 * a start, but then treats its workflow ID as used.
 */
export class ScheduledAttributes {
  readonly #answers = new Map<string, Answer>();

  /** @param probe sends {@link SCHEDULED_PROBE} to a namespace; it throws if the query is refused, or nobody answers */
  constructor(
    private readonly probe: (namespace: string) => Promise<unknown>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Whether a start in this namespace may carry the attributes. The namespace is asked once. A namespace that neither
   * accepted nor rejected the query is asked again a minute later at the earliest. Nobody waits for that later answer:
   * each start would wait until the deadline of a server that lists nothing.
   */
  areTakenIn(namespace: string): Promise<boolean> {
    const known = this.#answers.get(namespace);
    if (known && known.until > this.now()) return known.takes;
    const asked = this.#ask(namespace);
    if (!known) {
      this.#answers.set(namespace, asked);
      return asked.takes;
    }
    known.until = Number.POSITIVE_INFINITY;
    void asked.takes.then(() => {
      if (this.#answers.get(namespace) === known) this.#answers.set(namespace, asked);
    });
    return known.takes;
  }

  #ask(namespace: string): Answer {
    const answer: Answer = { until: Number.POSITIVE_INFINITY, takes: Promise.resolve(false) };
    answer.takes = this.probe(namespace).then(
      () => true,
      (error) => {
        const answered = error instanceof TemporalCallError && error.kind === 'rejected';
        if (!answered) answer.until = this.now() + ASK_AGAIN_MILLISECONDS;
        return false;
      },
    );
    return answer;
  }

  /**
   * Whether a start was refused because of the attributes, although the namespace accepted a query with them. After
   * such a refusal, later starts in this namespace carry no such attributes.
   */
  wereRefused(namespace: string, error: unknown): boolean {
    const refused = error instanceof TemporalCallError && error.kind === 'rejected' && NAMES.test(error.message);
    if (refused) this.#answers.set(namespace, { takes: Promise.resolve(false), until: Number.POSITIVE_INFINITY });
    return refused;
  }
}

const NAMES = /TemporalScheduled(ById|StartTime)/;
