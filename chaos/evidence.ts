import { writeFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { effectKey } from './check/effects';
import { type Facts, named, type Violation } from './check/facts';
import { NAMESPACE } from './workload/definitions';

const HISTORIES_AT_MOST = 20;

/**
 * Saves the firings, gaps and chains of schedules that violations name, all effects and messages of alerts, and what
 * each process logged. For the first chains that violations name, it also saves the history of the first run. The
 * servers are gone after the run.
 */
export async function saveEvidence(address: string, log: string, facts: Facts, violations: Violation[]): Promise<void> {
  const save = (name: string, data: unknown) =>
    writeFileSync(log.replace(/\.jsonl$/, `.${name}.json`), JSON.stringify(data, undefined, 1));
  save('facts', ofAccused(facts, violations));
  save(
    'logs',
    facts.logs.map(({ member, text }) => ({ member, lines: text.split('\n') })),
  );
  const isAccused = (name: string) => violations.some(({ text }) => text.startsWith(name));
  const chains = facts.chains
    .filter((chain) => isAccused(named(chain)) || isAccused(effectKey(chain)))
    .slice(0, HISTORIES_AT_MOST);
  if (chains.length === 0) return;
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection, namespace: NAMESPACE });
    for (const { workflowId, firstRunId } of chains) {
      const history = await client.workflow.getHandle(workflowId, firstRunId).fetchHistory();
      save(`${workflowId}.${firstRunId}`, history);
    }
  } finally {
    await connection.close();
  }
}

function ofAccused(facts: Facts, violations: Violation[]) {
  const isAccused = ({ scheduleId }: { scheduleId: string }) =>
    violations.some(({ text }) => text.startsWith(`${scheduleId} `) || text.startsWith(`${scheduleId}/`));
  return {
    firings: facts.firings.filter(isAccused),
    gaps: facts.gaps.filter(isAccused),
    chains: facts.chains.filter(isAccused),
    effects: facts.effects,
    messages: facts.messages,
    received: facts.received,
  };
}
