import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { forgetChanges } from '../api/once';

/**
 * A dialog that asks for confirmation: the browser's own, which traps the focus, closes on Escape and restores the
 * focus.
 */
export function Dialog({
  title,
  action,
  danger = false,
  disabled = false,
  onClose,
  onConfirm,
  children,
}: {
  title: string;
  /** Label of the button that confirms. */
  action: string;
  danger?: boolean;
  disabled?: boolean;
  onClose: () => void;
  /** A function that carries the action out; if it fails, the dialog stays open and shows the problem. */
  onConfirm: () => Promise<void>;
  children: ComponentChildren;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => {
    forgetChanges();
    ref.current?.showModal();
  }, []);
  const confirm = async (event: Event) => {
    event.preventDefault();
    setIsBusy(true);
    setProblem(undefined);
    try {
      await onConfirm();
      ref.current?.close();
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <dialog class="dialog" ref={ref} aria-labelledby={id} onClose={onClose}>
      <form onSubmit={confirm}>
        <h2 id={id}>{title}</h2>
        {children}
        {problem ? (
          <p class="problem" role="alert">
            {problem}
          </p>
        ) : null}
        <div class="actions">
          <button type="button" class="button" onClick={() => ref.current?.close()}>
            Cancel
          </button>
          <button type="submit" class={danger ? 'button danger' : 'button primary'} disabled={disabled || isBusy}>
            {isBusy ? 'Working …' : action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
