import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../support/ledger';
import { wordsOf } from '../support/pages/page-commands';
import { runCommand } from '../support/processes/command';

const ledger = useLedger(new Date().toISOString());
const PAGE = readFileSync(resolve(__dirname, '../../docs/operations.md'), 'utf8');
/** They go on until they are told to stop. */
const ENDLESS = ['escapement run'];

it('each command of the run-books is taken as it stands there', async () => {
  const [start, end] = [-7_200_000, -3_600_000].map((ago) => new Date(Date.now() + ago).toISOString());
  const commands = new Set(
    [...PAGE.matchAll(/`(escapement [^`]+)`/g)].map(([, command]) => command!).filter((one) => !ENDLESS.includes(one)),
  );
  expect(commands.size).toBeGreaterThan(15);
  const wrong: string[] = [];
  for (const command of commands) {
    const { scheduleId } = await ledger().client.create(someSchedule());
    const whole = command
      .replace(/--start … --end …/, `--start ${start} --end ${end}`)
      .replace('--cron …', `--cron '0 5 * * *'`)
      .replace('--from A --to B', `--from ${start} --to 2100-01-01`)
      .replace('--until T', '--until 1h')
      .replace(/\b(ID|TIME|NAME|WHY)\b/g, '$$$1');
    const [, ...args] = wordsOf(whole, { ID: scheduleId, TIME: end!, NAME: 'default', WHY: 'drill' });
    const variables = { DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const { code, stderr } = await runCommand(args, variables);
    // There is no freeze with this ID. Doctor exits with 1 if anything is wrong. There is nothing to redrive.
    const isNobodys = command === 'escapement freeze end ID' && stderr.includes('was not found');
    const isTaken = code === 0 || isNobodys || (command === 'escapement doctor' && code === 1 && stderr === '');
    if (!isTaken) wrong.push(`${command}: ${code} ${stderr}`);
  }
  expect(wrong).toEqual([]);
});
