import { expect, inject, it } from 'vitest';
import { runCommand } from '../../support/processes/command';
import { useVersions } from './versions';

const { ledger, parking, versions, onlyLetter } = useVersions();

it('a parked step of a pinned run is moved to the current build before it goes on, by the command too', async () => {
  const { taskQueue, deploy } = versions();
  await deploy('1', ['chargeCard']);
  const execution = await parking.fire('order', taskQueue);
  const letterId = await onlyLetter('parked');
  await deploy('2', []);
  const trigger = await ledger().trigger();
  const override = ['--versioning-override-behavior', 'auto_upgrade'];
  const environment = { DATABASE_URL: ledger().databaseUrl, TEMPORAL_ADDRESS: inject('temporalAddress') };
  expect(await runCommand(['dead-letter', 'redrive', letterId, ...override], environment)).toMatchObject({ code: 0 });
  // The command goes by the database's clock.
  ledger().clock.set(new Date(Date.now() + 60_000).toISOString());
  expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
  expect(await execution.result()).toEqual(['chargeCard A1', 'sendMail A1']);
});
