import { run } from '../../provision/run';
import type { Nemesis } from './nemesis';

/**
 * `escapement db migrate` runs while everything else runs. The schema is already up to date.
 */
export const migrate: Nemesis = {
  name: 'db migrate',
  weight: 1,
  draw: () => ({ targets: ['postgres'], milliseconds: 0, detail: {} }),
  async run({ primary, command, outputs }) {
    const { code, output } = await run(process.execPath, [command, 'db', 'migrate'], {
      environment: { DATABASE_URL: primary.url() },
    });
    outputs.push({ member: 'db migrate', text: output });
    // Another fault may keep the migration from Postgres, such as connections that are used up. The migration then says
    // so, and changes nothing.
    if (code !== 0 && !output.includes('Postgres cannot be reached')) throw new Error(`db migrate failed: ${output}`);
    return undefined;
  },
};
