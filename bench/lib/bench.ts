import { Connection } from '@temporalio/client';
import { Child } from './child';
import type { Cleanup } from './cleanup';
import { Ledger } from './ledger';
import type { Servers } from './servers';

/** What a scene works with. */
export class Bench {
  #worker: Promise<Child> | undefined;

  private constructor(
    readonly servers: Servers,
    /** To the frontend, without the trigger's settings: for the contenders that are no trigger, and for reading. */
    readonly connection: Connection,
    readonly cleanup: Cleanup,
    /** A line for a person. */
    readonly progress: (line: string) => void,
  ) {}

  static async create(servers: Servers, cleanup: Cleanup, progress: (line: string) => void): Promise<Bench> {
    const connection = await Connection.connect({ address: servers.address });
    cleanup.add('closing the connection to Temporal', () => connection.close());
    return new Bench(servers, connection, cleanup, progress);
  }

  /** The worker of all contenders, started at the first call. */
  async worker(): Promise<Child> {
    this.#worker ??= this.#startWorker();
    return this.#worker;
  }

  async #startWorker(): Promise<Child> {
    const { address, namespace, natives } = this.servers;
    const namespaces = [namespace, ...natives.map((native) => native.namespace)];
    this.progress('starting the worker');
    const worker = new Child('the worker', [require.resolve('./worker-main.ts'), address, ...namespaces]);
    this.cleanup.add('stopping the worker', () => worker.stop());
    await worker.says('worker running');
    return worker;
  }

  /** Work on a ledger of its own, which is dropped afterwards. */
  async withLedger<Result>(work: (ledger: Ledger) => Promise<Result>): Promise<Result> {
    const ledger = await Ledger.create(this.servers.databaseUrl, this.servers.namespace);
    let dropped: Promise<void> | undefined;
    const drop = () => {
      dropped ??= ledger.drop();
      return dropped;
    };
    // For a run that is interrupted.
    this.cleanup.add('dropping a ledger', drop);
    try {
      return await work(ledger);
    } finally {
      await drop();
    }
  }

  /** Work while a child runs, which is stopped afterwards. */
  async during<Result>(child: Child, work: (child: Child) => Promise<Result>): Promise<Result> {
    this.cleanup.add('stopping a process', () => child.stop());
    try {
      return await work(child);
    } finally {
      await child.stop();
    }
  }
}
