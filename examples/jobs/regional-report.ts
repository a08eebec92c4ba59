import { proxyActivities } from '@temporalio/workflow';
import type { ReportActivities } from './activities';

const { listRegions, summarize, publish } = proxyActivities<ReportActivities>({
  startToCloseTimeout: '10 minutes',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumAttempts: 5 },
});

/** One summary per region, all at the same time, and one report of them: a fan-out. */
export async function regionalReport(): Promise<Record<string, number>> {
  const regions = await listRegions();
  const sums = await Promise.all(regions.map((region) => summarize(region)));
  const report = Object.fromEntries(regions.map((region, index) => [region, sums[index]!]));
  await publish(report);
  return report;
}
