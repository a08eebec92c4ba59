import { createInterface } from 'node:readline';
import { NativeConnection, Worker } from '@temporalio/worker';
import { Client } from 'pg';
import { withLease } from '../../../activities';
import { EscapementPlugin } from '../../../plugin';
import { quietSdk } from '../quiet-sdk';

/**
 * A worker process. Its activity `work` takes the lease `account` for three seconds at a time. Then it runs a command
 * for each line of input. Arguments: database URL, Temporal address, task queue, path of the workflows' bundle.
 */
async function main([connectionString, address, taskQueue, codePath]: string[]): Promise<void> {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const client = new Client({ connectionString });
  client.on('error', (error) => say(`connection lost: ${error.message}`));
  await client.connect();

  const commands: Record<string, (guard: () => Promise<void>) => Promise<unknown>> = {
    begin: () => client.query('begin'),
    guard: (guard) => guard(),
    write: () => client.query(`insert into written values ('${taskQueue}')`),
    commit: async () => say((await client.query('commit')).command),
  };
  const work = () =>
    withLease(
      'account',
      async (lease) => {
        say(`holds ${lease.token}`);
        lease.signal.addEventListener('abort', () => say(`aborted ${lease.signal.reason.name}`));
        for (;;) {
          const { value: command } = await lines.next();
          if (command === 'end') return;
          const done = await commands[command]!(() => lease.guard(client)).then(
            () => 'done',
            (error) => error.name,
          );
          say(`${command} ${done}`);
        }
      },
      { ttl: '3 seconds' },
    );

  quietSdk();
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address }),
    taskQueue: taskQueue!,
    workflowBundle: { codePath: codePath! },
    activities: { work },
    plugins: [new EscapementPlugin({ connectionString })],
  });
  say('ready');
  await worker.run();
}

void main(process.argv.slice(2));
