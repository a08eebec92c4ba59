import { writeFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import type { ChainFact } from './check/facts';
import { NAMESPACE } from './workload/definitions';

/** More of them would rarely show another cause. */
const AT_MOST = 20;

/** Save the history of each chain's last run beside the log, since the server is gone after the run. */
export async function saveHistories(address: string, log: string, chains: readonly ChainFact[]): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection, namespace: NAMESPACE });
    for (const { workflowId } of chains.slice(0, AT_MOST)) {
      const history = await client.workflow.getHandle(workflowId).fetchHistory();
      writeFileSync(`${log.replace(/\.jsonl$/, '')}.${workflowId}.json`, JSON.stringify(history, undefined, 1));
    }
  } finally {
    await connection.close();
  }
}
