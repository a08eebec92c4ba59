import { expect, it } from 'vitest';
import { identityOf } from '../../client/context';
import { useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger();

it('a token names who made and who revoked it', async () => {
  const env = { DATABASE_URL: ledger().databaseUrl };
  for (const [name, more] of [
    ['mine', {}],
    ['theirs', { ESCAPEMENT_IDENTITY: 'ada@bastion' }],
  ] as const) {
    expect(await runCommand(['token', 'create', name, '--scope', 'read'], { ...env, ...more })).toMatchObject({
      code: 0,
    });
    expect(await runCommand(['token', 'revoke', name], { ...env, ...more })).toMatchObject({ code: 0 });
  }
  expect(await ledger().query('select name, created_by, revoked_by from escapement.api_tokens order by name')).toEqual([
    { name: 'mine', created_by: identityOf(undefined), revoked_by: identityOf(undefined) },
    { name: 'theirs', created_by: 'ada@bastion', revoked_by: 'ada@bastion' },
  ]);
});

it('a second revoke of a token does not deny that it exists', async () => {
  const env = { DATABASE_URL: ledger().databaseUrl };
  await runCommand(['token', 'create', 'mine', '--scope', 'read'], env);
  await runCommand(['token', 'revoke', 'mine'], env);
  const again = await runCommand(['token', 'revoke', 'mine'], env);
  expect(again.code).not.toBe(0);
  expect(again.stderr).toContain(
    "there is no token 'mine', or it is already revoked; 'escapement token list' lists them",
  );
});
