import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { vi } from 'vitest';
import { uniqueName } from '../ledger';

const { IndexedValueType } = temporal.api.enums.v1;

/**
 * Register search attributes in `default`, and wait until a start may use them, which takes the server some seconds.
 */
export async function addSearchAttributes({ connection, workflow }: Client): Promise<void> {
  await connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: {
      EscapementRegion: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
      EscapementDay: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
      EscapementCount: IndexedValueType.INDEXED_VALUE_TYPE_INT,
    },
  });
  const searchAttributes = { EscapementRegion: ['emea'], EscapementDay: [new Date()], EscapementCount: [3] };
  const start = { workflowId: uniqueName('attributes'), taskQueue: 'nobody-polls', searchAttributes };
  const started = await vi.waitFor(() => workflow.start('nobodyRuns', start), { timeout: 60_000, interval: 50 });
  await started.terminate();
}
