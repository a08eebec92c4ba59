import { randomBytes } from 'node:crypto';
import { grantsFor } from '../../store/grants';
import type { PostgresServer } from './postgres-server';

type Use = 'trigger' | 'worker' | 'client';

/** The rights of the workload's jobs on tables of their own. */
const OF_JOBS = [
  'grant select, insert on effects, effect_writes to chaos_worker',
  'grant usage on sequence effect_writes_id_seq to chaos_worker',
  'grant select on mended to chaos_worker',
];

/** The roles with which programs connect. None of them owns the schema. */
export class Roles {
  readonly #passwords = { trigger: secret(), worker: secret(), client: secret() };

  async createIn(owner: PostgresServer): Promise<void> {
    for (const [use, password] of Object.entries(this.#passwords) as [Use, string][]) {
      await owner.query(`create role chaos_${use} login password '${password}'`);
      for (const grant of grantsFor('escapement', `chaos_${use}`, [use])) await owner.query(grant);
    }
    for (const grant of OF_JOBS) await owner.query(grant);
  }

  /** The URL with which a role connects to a server, from the URL of its owner. */
  urlFor(use: Use, ofOwner: string): string {
    const url = new URL(ofOwner);
    url.username = `chaos_${use}`;
    url.password = this.#passwords[use];
    return url.href;
  }

  get passwords(): string[] {
    return Object.values(this.#passwords);
  }
}

function secret(): string {
  return randomBytes(16).toString('hex');
}
