import { Connection } from '@temporalio/client';
import { Child } from './child';
import type { Cleanup } from './cleanup';
import { Ledger } from './ledger';
import type { Servers } from './servers';

/** The servers, processes and files that a scene uses. */
export class Bench {
  #worker: Promise<Child> | undefined;

  private constructor(
    readonly servers: Servers,
    /**
     * A connection to the Temporal frontend without the trigger's settings, for reads and for contenders that are not
     * triggers.
     */
    readonly connection: Connection,
    readonly cleanup: Cleanup,
    /** Print a line for a person. */
    readonly progress: (line: string) => void,
  ) {}

  static async create(servers: Servers, cleanup: Cleanup, progress: (line: string) => void): Promise<Bench> {
    const connection = await Connection.connect({ address: servers.address });
    cleanup.add('closing the connection to Temporal', () => connection.close());
    return new Bench(servers, connection, cleanup, progress);
  }

  /** The process of the worker for all contenders, started at the first call. */
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

  /** Run work on a new ledger, which is dropped afterwards. */
  async withLedger<Result>(work: (ledger: Ledger) => Promise<Result>): Promise<Result> {
    const ledger = await Ledger.create(this.servers.databaseUrl, this.servers.namespace);
    let dropped: Promise<void> | undefined;
    const drop = () => {
      dropped ??= ledger.drop();
      return dropped;
    };
    // A run that is interrupted drops the ledger too.
    this.cleanup.add('dropping a ledger', drop);
    try {
      return await work(ledger);
    } finally {
      await drop();
    }
  }

  /** Run work while a child process runs, which is stopped afterwards. */
  async during<Result>(child: Child, work: (child: Child) => Promise<Result>): Promise<Result> {
    this.cleanup.add('stopping a process', () => child.stop());
    try {
      return await work(child);
    } finally {
      await child.stop();
    }
  }
}
