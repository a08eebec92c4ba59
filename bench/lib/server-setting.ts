import type { Cleanup } from './cleanup';
import type { Ledger } from './ledger';

/**
 * Run work with a setting of the whole server, and restore the former setting afterwards, also if the run is
 * interrupted.
 */
export async function withServerSetting<Result>(
  cleanup: Cleanup,
  ledger: Pick<Ledger, 'query'>,
  { name, value }: { name: string; value: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const alter = async (statement: string) => {
    await ledger.query(`alter system ${statement}`);
    await ledger.query('select pg_reload_conf()');
  };
  const [former] = await ledger.query<{ setting: string }>(
    `select setting from pg_file_settings where name = $1 and sourcefile like '%postgresql.auto.conf'`,
    [name],
  );
  let restored: Promise<void> | undefined;
  const restore = () => {
    restored ??= alter(former ? `set ${name} = '${former.setting}'` : `reset ${name}`);
    return restored;
  };
  cleanup.add(`restoring ${name}`, restore);
  await alter(`set ${name} = '${value}'`);
  try {
    return await work();
  } finally {
    await restore();
  }
}
