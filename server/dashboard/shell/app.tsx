import { useEffect, useRef, useState } from 'preact/hooks';
import { tokenTenant, whenUnauthorized } from '../api/request';
import { forgetAll, goOn, hold } from '../api/resource';
import { useLive } from '../live/live';
import { Toasts } from '../parts/toast';
import { usePlace } from '../router';
import { AheadView } from '../views/ahead/ahead';
import { AlertsView } from '../views/alerts/alerts';
import { FiringView } from '../views/firing/firing';
import { LettersView } from '../views/letters/letters';
import { OperationView } from '../views/operations/operation';
import { OperationsView } from '../views/operations/operations';
import { OverviewView } from '../views/overview/overview';
import { ScheduleView } from '../views/schedule/schedule';
import { SchedulesView } from '../views/schedules/schedules';
import { useScroll } from './scroll';
import { Side } from './side';
import { TokenPage } from './token-page';

export function App() {
  const [needsToken, setNeedsToken] = useState(false);
  const [tenant, setTenant] = useState(tokenTenant);
  useEffect(() => {
    const stop = whenUnauthorized(() => {
      hold();
      setNeedsToken(true);
    });
    return () => void stop();
  }, []);
  const enter = (to: string) => {
    if (to !== tenant) forgetAll();
    setTenant(to);
    setNeedsToken(false);
    goOn();
  };
  // Edits stay, hidden, while the page asks for a token. They are lost if the new token is of another tenant.
  return (
    <>
      {needsToken ? <TokenPage onToken={enter} /> : null}
      <div hidden={needsToken}>
        <Shell key={tenant} isHeld={needsToken} />
      </div>
    </>
  );
}

function Shell({ isHeld }: { isHeld: boolean }) {
  const place = usePlace();
  const main = useRef<HTMLElement>(null);
  const address = place.path.join('/');
  const isFirst = useRef(true);
  useScroll();
  useLive(isHeld);
  // After navigation, the focus moves to the start of the content, for screen readers, and the title is updated.
  useEffect(() => {
    document.title = `${titleOf(place.path)} · Escapement`;
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [address]);
  return (
    <div class="shell">
      <button type="button" class="skip button" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <Side path={place.path} />
      <main class="main" id="main" ref={main} tabIndex={-1}>
        <View key={address} />
      </main>
      <Toasts />
    </div>
  );
}

function View() {
  const { path, query } = usePlace();
  const [page, id, ...rest] = path;
  if (page === undefined) return <OverviewView />;
  if (page === 'schedules' && id === undefined) return <SchedulesView query={query} />;
  if (page === 'schedules' && rest[0] === 'at') return <FiringView scheduleId={id!} time={rest[1] ?? ''} />;
  if (page === 'schedules') return <ScheduleView scheduleId={id!} query={query} />;
  if (page === 'operations') return id === undefined ? <OperationsView /> : <OperationView operationId={id} />;
  if (page === 'letters') return <LettersView query={query} />;
  if (page === 'alerts') return <AlertsView query={query} />;
  if (page === 'ahead') return <AheadView query={query} />;
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        <a href="#/">Go to the overview</a>
      </p>
    </>
  );
}

function titleOf([page, id, , time]: string[]): string {
  if (page === undefined) return 'Overview';
  if (page === 'schedules' && id !== undefined) return time === undefined ? id : `${id} at ${time}`;
  return TITLES.get(page) ?? 'Not found';
}

const TITLES = new Map([
  ['schedules', 'Schedules'],
  ['operations', 'Changes of many'],
  ['letters', 'Dead letters'],
  ['alerts', 'Alerts'],
  ['ahead', 'Ahead'],
]);
