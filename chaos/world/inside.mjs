import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * This module is loaded into a trigger's process before the program. It changes the process's clock, lets starts fail
 * and fills the heap, as the file that CHAOS_CONTROL names says. The program itself is not changed.
 */
const LOOK_EVERY_MILLISECONDS = 100;
const ASKED = { clockMilliseconds: 0, starts: 'answered', memory: 'enough' };
/** The slots of an array that takes 16 MB of the heap. */
const LEAKED_SLOTS = 2_000_000;
const leaked = [];

function look() {
  try {
    Object.assign(ASKED, JSON.parse(readFileSync(process.env.CHAOS_CONTROL, 'utf8')));
  } catch {
    // The file is being written at the moment. It is read again a tenth of a second later.
  }
  if (ASKED.memory === 'leaks') leaked.push(new Array(LEAKED_SLOTS).fill(0));
  else leaked.length = 0;
}
look();
setInterval(look, LOOK_EVERY_MILLISECONDS).unref();

// Only the wall clock is changed. Timers and the monotonic clock continue, as they do on a host whose clock is set.
const RealDate = Date;
const now = () => RealDate.now() + ASKED.clockMilliseconds;
const MovedDate = new Proxy(RealDate, {
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  construct: (target, args, created) =>
    Reflect.construct(target, args.length > 0 ? args : [now()], created === MovedDate ? target : created),
});
globalThis.Date = MovedDate;

const { Client, Metadata, status } = createRequire(import.meta.url)('@grpc/grpc-js');
const call = Client.prototype.makeUnaryRequest;
/** Only starts are changed: they do not reach the server, or their answers are lost. */
Client.prototype.makeUnaryRequest = function makeUnaryRequest(method, ...rest) {
  if (ASKED.starts === 'answered' || !method.endsWith('/StartWorkflowExecution'))
    return call.call(this, method, ...rest);
  const callback = rest.pop();
  const fail = () => {
    const details = 'this start was failed by the nemesis';
    callback(Object.assign(new Error(details), { code: status.UNAVAILABLE, details, metadata: new Metadata() }));
  };
  if (ASKED.starts === 'unanswered') return call.call(this, method, ...rest, fail);
  setImmediate(fail);
  return { cancel: () => {}, getPeer: () => 'nobody', on: () => {} };
};
