import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool, type QueryResultRow } from 'pg';
import { EscapementClient } from '../../index';
import { migrate } from '../../migrations';
import { type ProvidedTemporalCluster, providePostgres, provideTemporalCluster } from '../../provision';
import { MEMBERS } from '../members';
import { EFFECT_TABLES } from '../workload/activities';
import { NAMESPACE } from '../workload/definitions';
import type { AtEnd } from './at-end';
import { Gate } from './gate';
import { Member } from './member';
import { type PostgresServer, startPrimary } from './postgres-server';
import type { Program } from './program';
import { openProxy, type Way } from './proxy';
import { Roles } from './roles';
import { commandIn, unpackVersionBefore } from './version-before';
import { Webhook } from './webhook';

export interface WorldOptions {
  /** The program as it is shipped, or a mutant of it. */
  program: Program;
  onProgress: (line: string) => void;
}

const SETTINGS = [
  ...['max_connections=150', 'wal_keep_size=64MB', 'max_wal_size=256MB'],
  // With these timeouts, a standby whose connection has become silent soon connects again.
  ...['wal_sender_timeout=5s', 'wal_receiver_timeout=5s'],
];
/** The key with which alerts are signed, and the secret that contains it. */
const ALERT_KEY = Buffer.alloc(32, 'chaos').toString('base64');
const ALERT_SECRET = `whsec_${ALERT_KEY}`;

/** The servers of a run, and the network paths that do not belong to a member. */
interface Parts {
  primary: PostgresServer;
  temporal: ProvidedTemporalCluster;
  command: string;
  versionBefore: string;
  replication: Way;
  temporalDatabase: Way;
  toWebhook: Way;
  asker: Way;
  webhook: Webhook;
  roles: Roles;
}

/** Every server and process of a run, and the network paths between them. */
export class World {
  readonly members: Member[] = [];
  /** The requests of people pass this gate. Faults that lose writes hold it, so that no request is lost. */
  readonly asking = new Gate();
  /**
   * Connections of the schema's owner, for reads of the run and for writes to `mended`. No network fault hits these
   * connections or those for requests. After a failover, both lead to the new primary.
   */
  readonly pool: Pool;
  /** Connections for requests of people. */
  private readonly clientPool: Pool;
  readonly client: EscapementClient;
  readonly temporal: ProvidedTemporalCluster;
  /** The script of the command `escapement`. */
  readonly command: string;
  /** The script of the same command in the previous version. */
  readonly versionBefore: string;
  /** The path from the standby to the primary. */
  readonly replication: Way;
  /** The path from the Temporal server to its own Postgres. */
  readonly temporalDatabase: Way;
  /** The path from the triggers to the webhook. */
  readonly toWebhook: Way;
  /** Webhook that receives the triggers' alerts. */
  readonly webhook: Webhook;
  primary: PostgresServer;
  /** The output of each command that ran once during a fault: `db migrate` and `archive`. */
  readonly outputs: { member: string; text: string }[] = [];
  standby: PostgresServer | undefined;
  private readonly asker: Way;
  private readonly roles: Roles;

  private constructor(parts: Parts) {
    ({ primary: this.primary, temporal: this.temporal, command: this.command } = parts);
    ({ versionBefore: this.versionBefore, webhook: this.webhook, asker: this.asker, roles: this.roles } = parts);
    ({ replication: this.replication, temporalDatabase: this.temporalDatabase, toWebhook: this.toWebhook } = parts);
    const { primary, asker, roles } = parts;
    const url = primary.url(asker.address);
    this.pool = openPool(url, 4);
    this.clientPool = openPool(roles.urlFor('client', url), 8);
    this.client = new EscapementClient({ pool: this.clientPool, identity: 'chaos' });
  }

  /**
   * Passwords and keys that the processes were given. `db migrate` and `archive` get the password of the schema's owner.
   * The key of the alerts finds the whole secret too.
   */
  get secrets(): string[] {
    return [...this.roles.passwords, new URL(this.primary.url()).password, ALERT_KEY];
  }

  static async start({ program: { command, worker }, onProgress }: WorldOptions, atEnd: AtEnd): Promise<World> {
    const primary = await startPrimary(atEnd, { settings: SETTINGS });
    await migrate({ connectionString: primary.url() });
    await primary.query(EFFECT_TABLES);
    const roles = new Roles();
    await roles.createIn(primary);
    // Temporal has a Postgres of its own, so that faults of the ledger's Postgres do not affect it.
    const ofTemporal = await providePostgres({ onProgress });
    atEnd(() => ofTemporal.stop());
    const way = (target: string) => openProxy(atEnd, target);
    const databaseUrl = new URL(ofTemporal.databaseUrl);
    const temporalDatabase = await way(databaseUrl.host);
    databaseUrl.host = temporalDatabase.address;
    const temporal = await provideTemporalCluster({
      ...{ databaseUrl: databaseUrl.href, namespaces: [NAMESPACE], onProgress },
    });
    atEnd(() => {
      temporalDatabase.restore();
      return temporal.stop();
    });
    const webhook = await new Webhook().listen();
    atEnd(() => webhook.close());
    const alertUrl = new URL(webhook.url);
    const toWebhook = await way(alertUrl.host);
    alertUrl.host = toWebhook.address;
    const previous = unpackVersionBefore();
    const folder = mkdtempSync(join(tmpdir(), 'escapement-chaos-'));
    for (const one of [previous, folder]) atEnd(() => rm(one, { recursive: true, force: true }));
    const world = new World({
      ...{ primary, temporal, command, versionBefore: commandIn(previous) },
      ...{ replication: await way(primary.address), asker: await way(primary.address) },
      ...{ temporalDatabase, toWebhook, webhook, roles },
    });
    atEnd(() => world.#close());
    for (const name of MEMBERS) {
      const isTrigger = name.startsWith('trigger');
      const ways = { postgres: await way(primary.address), temporal: await way(temporal.address) };
      const databaseUrl = roles.urlFor(isTrigger ? 'trigger' : 'worker', primary.url(ways.postgres.address));
      const { address } = ways.temporal;
      const member = isTrigger
        ? new Member({
            ...{ name, role: 'trigger', ...ways, controlFile: join(folder, `${name}.json`) },
            args: [command, 'run', '--alert-webhook', alertUrl.href],
            environment: {
              DATABASE_URL: databaseUrl,
              TEMPORAL_ADDRESS: address,
              ESCAPEMENT_ALERT_SECRET: ALERT_SECRET,
            },
          })
        : new Member({
            ...{ name, role: 'worker', ...ways },
            args: [worker, databaseUrl, address, join(folder, 'workflow-bundle.js')],
          });
      world.members.push(member);
      atEnd(() => member.stop());
      member.start();
    }
    for (const member of world.members) await member.running();
    onProgress('three triggers and two workers run; making the standby');
    await world.makeStandby();
    return world;
  }

  member(name: string): Member {
    return this.members.find((one) => one.name === name)!;
  }

  async query<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(text, values)).rows;
  }

  /** Leads new connections to this server; open connections stay. */
  leadTo(server: PostgresServer): void {
    for (const way of [this.asker, this.replication, ...this.members.map(({ postgres }) => postgres)]) {
      way.leadTo(server.address);
    }
    this.primary = server;
  }

  /** Starts a new standby that follows the primary. */
  async makeStandby(): Promise<void> {
    await this.standby?.stop();
    this.replication.restore();
    this.standby = await (await this.primary.backUp()).startStandby(this.replication.address, 'standby');
  }

  async #close(): Promise<void> {
    await this.client.close();
    await this.clientPool.end();
    await this.pool.end();
  }
}

function openPool(connectionString: string, max: number): Pool {
  const pool = new Pool({ connectionString, max, connectionTimeoutMillis: 5_000 });
  return pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
}
