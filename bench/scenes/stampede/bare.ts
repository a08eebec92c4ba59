import type { Bench } from '../../lib/bench';
import { startAll, startedIds } from '../../lib/fill/starts';
import { freshName } from '../../lib/names';
import { at } from '../../lib/wait';
import { type Contender, lagsAt, type StampedeSize } from './contender';

interface Loop {
  inFlight: number;
  /** The rate of the plain loop, from which the start time of the pre-started workflows is computed. */
  perSecond: number;
}

/** The contender that is a plain loop, which begins at the instant. */
export function startLoop(bench: Bench, size: StampedeSize, { inFlight }: Loop): Contender {
  const { connection, servers } = bench;
  const lagsOf = async (count: number) => {
    let starting: Promise<unknown> = Promise.resolve();
    const lags = await lagsAt(bench, size.quietSeconds, async (instant) => {
      const starts = { namespace: servers.namespace, prefix: freshName('loop'), count, inFlight };
      starting = at(instant).then(() => startAll(connection, starts));
      return { ...starts, workflowIds: startedIds(starts) };
    });
    await starting;
    return lags;
  };
  return warmed('plain start loop', lagsOf, size);
}

/**
 * The contender whose workflows were all started before the instant, with a start delay.
 */
export function preStarted(bench: Bench, size: StampedeSize, { inFlight, perSecond }: Loop): Contender {
  const { connection, servers } = bench;
  const lagsOf = (count: number) =>
    lagsAt(bench, size.quietSeconds + (1.5 * count) / perSecond, async (instant) => {
      const namespace = servers.namespace;
      const starts = { namespace, prefix: freshName('early'), count, inFlight, delayUntil: instant };
      await startAll(connection, starts);
      return { ...starts, workflowIds: startedIds(starts) };
    });
  return warmed('bare pre-started workflows', lagsOf, size);
}

type LagsOf = (count: number) => Promise<number[]>;

function warmed(series: string, lagsOf: LagsOf, { warmUp, count }: StampedeSize): Contender {
  return {
    series,
    async stampede() {
      await lagsOf(warmUp);
      return lagsOf(count);
    },
  };
}
