import { proxyActivities } from '@temporalio/workflow';
import type { ReportActivities } from './activities';

const { listRegions, summarize, publish } = proxyActivities<ReportActivities>({
  startToCloseTimeout: '10 minutes',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumAttempts: 5 },
});

/** A fan-out: one summary per region, all in parallel, and one report over all of them. */
export async function regionalReport(): Promise<Record<string, number>> {
  const regions = await listRegions();
  const sums = await Promise.all(regions.map((region) => summarize(region)));
  const report = Object.fromEntries(regions.map((region, index) => [region, sums[index]!]));
  await publish(report);
  return report;
}
