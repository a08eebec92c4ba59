import { expect, it } from 'vitest';
import { watchedPool } from '../../support/connections/watched-pool';
import { useLedger } from '../../support/ledger';

const ledger = useLedger();

interface Plan {
  'Index Name'?: string;
  Plans?: Plan[];
}

const indexesOf = (plan: Plan): string[] => [
  ...(plan['Index Name'] === undefined ? [] : [plan['Index Name']]),
  ...(plan.Plans ?? []).flatMap(indexesOf),
];

it('a list filter that asks for one value finds the schedules by the index of its field', async () => {
  const sent: { text: string; values: unknown[] }[] = [];
  const pool = watchedPool(ledger(), { before: (text, values) => sent.push({ text, values }) });
  const client = ledger().newClient({ connectionString: undefined, pool });
  // The tables are empty: without this, the planner reads them whole, or takes any index.
  await ledger().query('set enable_seqscan = off');
  const used = async (query: string) => {
    sent.length = 0;
    await client.listPage({ query });
    const { text, values } = sent.find((one) => one.text.includes('schedules') && one.text.includes('limit'))!;
    const [row] = await ledger().query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (format json) ${text}`, values);
    return indexesOf(row!['QUERY PLAN'][0].Plan);
  };
  expect(await used(`owner = 'payments'`)).toContain('schedules_owner');
  expect(await used(`owner in ('payments', 'reports') and note is null`)).toContain('schedules_owner');
  expect(await used(`source = 'nightly'`)).toContain('schedules_of_source');
  expect(await used('paused = true')).toContain('schedules_paused');
  expect(await used(`taskQueue = 'fast'`)).toContain('versions_of_task_queue');
  expect(await used(`workflowType = 'report'`)).toContain('versions_of_type');
  expect(await used(`namespace = 'billing'`)).toContain('versions_of_namespace');
});
