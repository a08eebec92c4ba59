import type { ListedNative } from '../native/native';
import type { ComparedOccurrence, Verdict } from './compare-options';

/** An occurrence that was answered in shadow mode. Its instants are epoch milliseconds. */
export interface Shadow {
  nominal: number;
  decidedAt: number;
}

export class NativeRuns {
  readonly #byNominal = new Map<number, ListedNative>();
  #starts: number[] | undefined;
  #ends: number[] = [];

  /** Runs with the same nominal time, such as retries and continue-as-new, count as one. */
  add(run: ListedNative): void {
    const known = this.#byNominal.get(run.nominal);
    if (!known) this.#byNominal.set(run.nominal, run);
    else {
      known.startedAt = Math.min(known.startedAt, run.startedAt);
      known.closedAt = Math.max(known.closedAt, run.closedAt);
    }
  }

  take(nominal: number): ListedNative | undefined {
    return this.#byNominal.get(nominal);
  }

  nominals(from: number, to: number): number[] {
    return [...this.#byNominal.keys()].filter((nominal) => nominal >= from && nominal <= to).sort((a, b) => a - b);
  }

  isOpenAt(instant: number): boolean {
    if (!this.#starts) {
      const runs = [...this.#byNominal.values()];
      this.#starts = runs.map((run) => run.startedAt).sort((a, b) => a - b);
      this.#ends = runs.map((run) => run.closedAt).sort((a, b) => a - b);
    }
    return countUpTo(this.#starts, instant) > countUpTo(this.#ends, instant);
  }
}

function countUpTo(sorted: number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Merges the occurrences of both sides, ordered by nominal time.
 *
 * @param rememberedFrom runs of earlier nominal times may no longer be in the namespace. Epoch milliseconds.
 */
export async function* match(
  scheduleId: string,
  {
    shadows,
    runs,
    from,
    to,
    mayOverlap,
    rememberedFrom,
  }: {
    shadows: AsyncIterable<Shadow>;
    runs: NativeRuns;
    from: number;
    to: number;
    mayOverlap: boolean;
    rememberedFrom: number;
  },
): AsyncGenerator<ComparedOccurrence> {
  const native = runs.nominals(from, to);
  let index = 0;
  for await (const shadow of shadows) {
    for (; index < native.length && native[index]! < shadow.nominal; index++) {
      yield occurrence(scheduleId, native[index]!, 'only_native', runs.take(native[index]!), undefined);
    }
    const run = runs.take(shadow.nominal);
    if (run) index += 1;
    const alone: Verdict = shadow.nominal < rememberedFrom ? 'unknown' : 'only_here';
    const left: Verdict = !mayOverlap && runs.isOpenAt(shadow.nominal) ? 'overlap' : alone;
    yield occurrence(scheduleId, shadow.nominal, run ? 'same' : left, run, shadow);
  }
  for (; index < native.length; index++) {
    yield occurrence(scheduleId, native[index]!, 'only_native', runs.take(native[index]!), undefined);
  }
}

function occurrence(
  scheduleId: string,
  nominal: number,
  verdict: Verdict,
  run: ListedNative | undefined,
  shadow: Shadow | undefined,
): ComparedOccurrence {
  return {
    ...{ scheduleId, scheduledTime: new Date(nominal), verdict },
    ...(run && { workflowId: run.workflowId, nativeAt: new Date(run.startedAt), nativeLag: run.startedAt - nominal }),
    ...(shadow && { hereAt: new Date(shadow.decidedAt), hereLag: shadow.decidedAt - nominal }),
  };
}
