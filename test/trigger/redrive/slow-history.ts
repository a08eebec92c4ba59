import { expect, inject, vi } from 'vitest';
import { connectTemporal } from '../../../temporal/connection';
import { oneServer } from '../../../temporal/temporal';
import { Trigger } from '../../../trigger';
import type { useFailedFirings } from '../recover/failed-firings';

/**
 * A trigger takes forty seconds to read a history, and 29 seconds to ask for the reset, while another one polls. Of a
 * short history, the break between two pages is played.
 */
export async function resumeWhileReadSlowly(
  { ledger, deployments, steps, failed, observeEnd, onlyLetter, redrive }: ReturnType<typeof useFailedFirings>,
  { isLong }: { isLong: boolean },
): Promise<void> {
  const { broken, fixed } = steps();
  await deployments().deploy(broken);
  const other = await ledger().trigger();
  // The server writes the end of each step by itself, and a page has at most 500 writes.
  const { workflowId, letter } = await failed(other, 'chargesAfter', [isLong ? 500 : 1]);
  await deployments().deploy(fixed);
  const taken: number[] = [];
  const { clock, databaseUrl, log: logger } = ledger();
  const reader = await Trigger.createOn({ connectionString: databaseUrl, clock, logger }, async (settings) => {
    const port = await connectTemporal({ address: inject('temporalAddress') }, settings);
    const read = port.resetPoint.bind(port);
    port.resetPoint = async (...[namespace, id, runId, eventId, betweenPages]) => {
      const meanwhile = async () => {
        clock.advance(20_000);
        await betweenPages?.();
        clock.advance(20_000);
        const monotonic = performance.now();
        vi.spyOn(performance, 'now').mockReturnValue(monotonic + 40_000);
        taken.push((await other.passes.redrive()).taken);
      };
      if (!isLong) await meanwhile();
      return read(namespace, id, runId, eventId, meanwhile);
    };
    const call = port.reset.bind(port);
    port.reset = async (request) => {
      // The lease of this call may begin late, so the redrive is kept once more from then on.
      clock.advance(29_000);
      taken.push((await other.passes.redrive()).taken);
      return call(request);
    };
    return oneServer(port);
  });
  ledger().beforeClose(() => reader.close());
  await redrive(letter);
  try {
    expect(await reader.passes.redrive()).toMatchObject({ resumed: 1 });
  } finally {
    vi.restoreAllMocks();
  }
  expect([...new Set(taken)]).toEqual([0]);
  await observeEnd(other, workflowId);
  expect(await onlyLetter()).toMatchObject({ state: 'resolved' });
}
