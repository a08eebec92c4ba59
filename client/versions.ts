import { readVersionsPage, type VersionRow } from '../store/versions';
import type { ClientContext } from './context';
import { type DescribedAction, describeAction } from './describe-action';
import { readableDefinition, type ScheduleSummary } from './description';
import { paged } from './paged';

/** One immutable definition of a schedule, and who wrote it. */
export interface ScheduleVersion extends Pick<ScheduleSummary, 'namespace' | 'spec' | 'policies'> {
  version: number;
  action: DescribedAction;
  actor: string | undefined;
  createdAt: Date;
}

/** Versions newest first, also of a schedule that is deleted. */
export async function* versionsOf(
  context: ClientContext,
  scheduleId: string,
  pageSize: number | undefined,
): AsyncGenerator<ScheduleVersion> {
  const rows = paged(pageSize, async (last: VersionRow | undefined, size) => {
    await context.ready();
    return readVersionsPage(context.store, scheduleId, { before: last?.version, size });
  });
  for await (const row of rows) {
    yield {
      version: row.version,
      ...readableDefinition(row),
      action: describeAction(row.action, await context.codec.decode({ scheduleId, ...row })),
      actor: row.actor ?? undefined,
      createdAt: row.createdAt,
    };
  }
}
