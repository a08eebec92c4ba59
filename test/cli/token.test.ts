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
