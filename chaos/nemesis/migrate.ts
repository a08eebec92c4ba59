import { run } from '../../provision/run';
import type { Nemesis } from './nemesis';

/**
 * `escapement db migrate` runs while everything else runs. The schema is already up to date, as it is in most deploys.
 */
export const migrate: Nemesis = {
  name: 'db migrate',
  weight: 1,
  draw: () => ({ targets: ['postgres'], milliseconds: 0, detail: {} }),
  async run({ primary, command }) {
    const { code, output } = await run(process.execPath, [command, 'db', 'migrate'], {
      environment: { DATABASE_URL: primary.url() },
    });
    if (code !== 0) throw new Error(`db migrate failed: ${output}`);
    return undefined;
  },
};
