import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { expect, inject, it } from 'vitest';
import { useDeployments } from '../../support/deployment/deployments';
import { useLedger } from '../../support/ledger';
import { blocksBetween, wordsOf } from '../../support/pages/page-commands';
import { runCli } from '../../support/processes/child';
import { runCommand } from '../../support/processes/command';

const ledger = useLedger();
const deployments = useDeployments();
const PAGE = readFileSync(join(__dirname, '../../../docs/dead-letters.md'), 'utf8');

it('the walk-through leads from a broken step to a resolved letter', async () => {
  const packed: string[] = [];
  const broken = {
    pack: async () => `parcel ${packed.push('once')}`,
    mail: async () => {},
    chargeCard: async () => {
      throw ApplicationFailure.create({ type: 'BankError', message: 'the interface has changed', nonRetryable: true });
    },
  };
  await deployments().deploy(broken);
  const env = { DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: inject('temporalAddress') };
  const variables: Record<string, string> = { QUEUE: deployments().taskQueue };
  const trigger = runCli(['run'], env);
  await trigger.line(/trigger running/);
  const printed: string[] = [];
  const shell = async (text: string) => {
    for (const line of text.trim().split('\n')) {
      const [npx, escapement, ...args] = wordsOf(line, variables);
      expect([npx, escapement]).toEqual(['npx', 'escapement']);
      const { code, stdout, stderr } = await runCommand(args, env);
      expect({ code, stderr }, line).toEqual({ code: 0, stderr: '' });
      printed.push(stdout);
    }
  };

  const [create, query, look, redrive, done] = blocksBetween(
    PAGE,
    '## A walk-through',
    '## A step that was done by hand',
  );
  await shell(create!.text);
  const letters = () => ledger().query(query!.text);
  await expect.poll(letters, { timeout: 60_000 }).toHaveLength(1);
  const [letter] = await letters();
  expect(letter).toMatchObject({
    schedule_id: 'orders',
    reason: 'failed',
    step: 'chargeCard',
    attempts: '1',
    failure: 'the interface has changed',
  });
  variables.LETTER = letter!.letter_id;

  await shell(look!.text);
  expect(printed.at(-1)).toMatch(/failure +BankError: the interface has changed/);
  await deployments().deploy({ ...broken, chargeCard: async () => {} });
  await shell(redrive!.text);
  expect(printed.slice(-2)).toEqual([
    `Would redrive '${letter!.letter_id}' by resume at chargeCard.`,
    `Redriving '${letter!.letter_id}' by resume at chargeCard.`,
  ]);
  await expect
    .poll(async () => (await ledger().client.deadLetters.get(letter!.letter_id)).state, { timeout: 60_000 })
    .toBe('resolved');
  await shell(done!.text);
  expect(printed.at(-2)).toMatch(/state +resolved/);
  expect(printed.at(-1)).toMatch(/orders +manual +closed +completed/);
  expect(packed).toEqual(['once']);
  trigger.kill('SIGTERM');
  expect(await trigger.ended()).toMatchObject({ code: 0 });
});
