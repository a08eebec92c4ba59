------------------------------- MODULE Firing -------------------------------
(***************************************************************************)
(* One firing: its row in Postgres, the calls on their way, what Temporal  *)
(* runs for it, and the triggers that work on it. docs/model.md explains   *)
(* the model. Names are those of the code; beside most actions stands the  *)
(* file of the code.                                                       *)
(*                                                                         *)
(* Time is a set of countdowns. A tick lowers them all; any trigger may    *)
(* stand still for any number of ticks.                                    *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Triggers,
  LastEpoch,      \* Restarts raise the epoch, up to this one.
  Lease,          \* Ticks after its announcement in which a start may be called.
  Deadline,       \* Ticks in which a call lands, or never.
  Settled,        \* Ticks after an announcement until nothing of it can land.
  RememberedFor,  \* Ticks after the first announcement in which a start is called again.
  Retention,      \* Ticks after its end in which Temporal knows a chain.
  OnUncertain,    \* "SKIP" or "START".
  Checks,         \* "at any time", or "when nobody is at it".
  Asks,           \* How often people pause, redrive, reset, run again, exclude or include.
  Crashes,        \* How often a trigger dies.
  Losses,         \* How many calls or answers are lost.
  AdoptedWithin,  \* Ticks after a failover in which the last adoption is done.
  Failovers,      \* How often Postgres comes back as an older copy of itself.
  Without         \* The guards that are left out: {} but where a counterexample is looked for.

VARIABLES
  row,       \* The firing's row in Postgres.
  copy,      \* An older state of the row, which a failover brings back.
  gate,      \* Whether adoption is done, so that triggers may claim and start.
  paused,    \* Whether the schedule is paused.
  calls,     \* Start calls on their way.
  chains,    \* What Temporal has for each epoch.
  started,   \* How many chains were started for each epoch.
  workers,   \* What each trigger has in hand.
  budget     \* What may still happen of the things that are bounded.

vars == <<row, copy, gate, paused, calls, chains, started, workers, budget>>

Epochs == 0..LastEpoch
NoOne == "no one"
Has(guard) == guard \notin Without
Lower(count) == IF count = 0 THEN 0 ELSE count - 1

(* core/firing.ts. A test compares the two. *)
Transitions == [
  absent |-> {"buffered", "claimed", "skipped"},
  buffered |-> {"claimed", "skipped"},
  claimed |-> {"linked", "closed", "skipped", "abandoned"},
  linked |-> {"closed"},
  closed |-> {"linked", "claimed", "buffered"},
  abandoned |-> {"claimed", "buffered"},
  skipped |-> {"absent", "buffered"}
]

(* No two announcements of a row are of one instant: `announcement` stands for start_attempted_at,
   `announced` for first_attempted_at. *)
NewRow == [
  state |-> "absent", reason |-> "none", epoch |-> 0, owner |-> NoOne, redriven |-> FALSE,
  announced |-> 0, announcement |-> 0, settles |-> 0, remembered |-> 0
]
Idle == [does |-> "nothing", epoch |-> 0, announcement |-> 0, lease |-> 0, end |-> "none", owned |-> FALSE]

Init ==
  /\ row = NewRow
  /\ copy = NewRow
  /\ gate = "open"
  /\ paused = FALSE
  /\ calls = {}
  /\ chains = [epoch \in Epochs |-> [state |-> "none", known |-> 0]]
  /\ started = [epoch \in Epochs |-> 0]
  /\ workers = [trigger \in Triggers |-> Idle]
  /\ budget = [asks |-> Asks, crashes |-> Crashes, losses |-> Losses, failovers |-> Failovers, waits |-> AdoptedWithin]

Waits == row.state = "claimed" /\ row.owner = NoOne /\ row.announced = 0
MayAsk == budget.asks > 0
Asked == budget' = [budget EXCEPT !.asks = @ - 1]
IsFree(trigger) == workers[trigger].does = "nothing"
Uncalled(record, state) == [record EXCEPT !.state = state, !.owner = NoOne, !.announced = 0, !.announcement = 0,
  !.settles = 0, !.remembered = 0]
(* The instant of the next announcement. Small numbers suffice, as long as equal ones never meet. *)
NextInstant == CHOOSE instant \in 1..(2 * Cardinality(Triggers) + 4) :
  /\ instant # row.announcement /\ instant # row.announced /\ instant # copy.announcement /\ instant # copy.announced
  /\ \A trigger \in Triggers : workers[trigger].announcement # instant

-----------------------------------------------------------------------------
(* Claim: trigger/claim/. *)

Claim(state) ==
  /\ gate # "closed" \/ ~Has("adoption is a gate")
  /\ row.state = "absent" /\ ~paused
  /\ row' = [row EXCEPT !.state = state, !.reason = IF state = "skipped" THEN "overlap" ELSE "none"]
  /\ UNCHANGED <<copy, gate, paused, calls, chains, started, workers, budget>>

Release(state) ==
  /\ gate # "closed" \/ ~Has("adoption is a gate")
  /\ row.state = "buffered"
  /\ row' = [row EXCEPT !.state = state, !.reason = IF state = "skipped" THEN "overlap" ELSE "none"]
  /\ UNCHANGED <<copy, gate, paused, calls, chains, started, workers, budget>>

-----------------------------------------------------------------------------
(* Dispatch: trigger/dispatch/. *)

Hold(trigger, announcement) ==
  workers' = [workers EXCEPT ![trigger] = [Idle EXCEPT !.does = "calls next", !.epoch = row.epoch,
    !.announcement = announcement, !.lease = Lease]]

(* trigger/dispatch/announce.ts: the owner and the announcement in one statement. *)
Take(trigger) ==
  /\ gate # "closed" \/ ~Has("adoption is a gate")
  /\ IsFree(trigger) /\ Waits
  /\ LET instant == NextInstant IN
     /\ row' = IF Has("announce before the call")
        THEN [row EXCEPT !.owner = IF Has("owner at the announcement") THEN trigger ELSE NoOne,
          !.announced = IF Has("owner at the announcement") THEN instant ELSE 0,
          !.announcement = instant, !.settles = Settled, !.remembered = RememberedFor]
        ELSE [row EXCEPT !.owner = trigger]
     /\ Hold(trigger, instant)
  /\ UNCHANGED <<copy, gate, paused, calls, chains, started, budget>>

(* call-starts.ts: never after the lease. *)
Call(trigger) ==
  /\ workers[trigger].does = "calls next"
  /\ workers[trigger].lease > 0 \/ ~Has("no call after the lease")
  /\ calls' = calls \cup {[from |-> trigger, epoch |-> workers[trigger].epoch, left |-> Deadline]}
  /\ workers' = [workers EXCEPT ![trigger].does = "hears next"]
  /\ UNCHANGED <<row, copy, gate, paused, chains, started, budget>>

(* settle-outcomes.ts: the start was not called after all. *)
TakeBack(trigger) ==
  /\ workers[trigger].does = "calls next"
  /\ workers' = [workers EXCEPT ![trigger] = Idle]
  /\ IF row.state = "claimed" /\ (row.announcement = workers[trigger].announcement \/ ~Has("take back one's own announcement"))
     THEN row' = IF row.announced = row.announcement \/ ~Has("take back one's own announcement")
       THEN [row EXCEPT !.announced = 0, !.announcement = 0, !.settles = 0, !.remembered = 0]
       ELSE row
     ELSE UNCHANGED row
  /\ UNCHANGED <<copy, gate, paused, calls, chains, started, budget>>

(* The answer is lost, or takes too long. *)
HearNothing(trigger) ==
  /\ workers[trigger].does = "hears next"
  /\ budget.losses > 0 \/ ~\E call \in calls : call.from = trigger
  /\ workers' = [workers EXCEPT ![trigger] = Idle]
  /\ budget' = IF \E call \in calls : call.from = trigger THEN [budget EXCEPT !.losses = @ - 1] ELSE budget
  /\ UNCHANGED <<row, copy, gate, paused, calls, chains, started>>

(* store/firings/link.ts, linkFirings. *)
Link(trigger) ==
  /\ workers[trigger].does = "links next"
  /\ workers' = [workers EXCEPT ![trigger] = Idle]
  /\ row' = IF row.state = "claimed" /\ (row.epoch = workers[trigger].epoch \/ ~Has("link by epoch"))
     THEN [row EXCEPT !.state = "linked", !.owner = NoOne] ELSE row
  /\ UNCHANGED <<copy, gate, paused, calls, chains, started, budget>>

-----------------------------------------------------------------------------
(* Temporal. *)

Knows(epoch) == chains[epoch].state \in {"running", "closed"}

(* The request ID and the workflow ID are functions of key and epoch: a second start finds the first. *)
Land(call, stays) ==
  /\ call \in calls
  /\ calls' = IF stays THEN calls ELSE calls \ {call}
  /\ IF Knows(call.epoch) /\ Has("IDs by key and epoch")
     THEN UNCHANGED <<chains, started>>
     ELSE /\ chains' = [chains EXCEPT ![call.epoch] = [state |-> "running", known |-> 0]]
          /\ started' = [started EXCEPT ![call.epoch] = IF @ = 2 THEN 2 ELSE @ + 1]
  /\ \/ /\ workers[call.from].does = "hears next" /\ workers[call.from].epoch = call.epoch
        /\ workers' = [workers EXCEPT ![call.from].does = "links next"]
        /\ UNCHANGED budget
     \/ /\ budget.losses > 0
        /\ budget' = [budget EXCEPT !.losses = @ - 1]
        /\ UNCHANGED workers
     \/ /\ workers[call.from].does # "hears next" \/ workers[call.from].epoch # call.epoch
        /\ UNCHANGED <<workers, budget>>
  /\ UNCHANGED <<row, copy, gate, paused>>

Lose(call) ==
  /\ call \in calls /\ budget.losses > 0
  /\ calls' = calls \ {call}
  /\ budget' = [budget EXCEPT !.losses = @ - 1]
  /\ UNCHANGED <<row, copy, gate, paused, chains, started, workers>>

EndChain(epoch) ==
  /\ chains[epoch].state = "running"
  /\ chains' = [chains EXCEPT ![epoch] = [state |-> "closed", known |-> Retention]]
  /\ UNCHANGED <<row, copy, gate, paused, calls, started, workers, budget>>

-----------------------------------------------------------------------------
(* Observe: trigger/observe/. What Temporal no longer knows ends as `unknown`. *)

Close ==
  /\ row.state \in {"linked", "claimed"}
  /\ row.state = "claimed" => row.announced # 0 /\ chains[row.epoch].state = "closed"
  /\ row.state = "linked" => chains[row.epoch].state \in {"closed", "forgotten"}
  /\ row' = [row EXCEPT !.state = "closed", !.owner = NoOne]
  /\ UNCHANGED <<copy, gate, paused, calls, chains, started, workers, budget>>

-----------------------------------------------------------------------------
(* Recover: trigger/recover/. A check may be due at any time: that is more than really happens. For liveness it is due when its
   owner is done with it, or two triggers could take it from each other for ever. *)

TakeOver(trigger) ==
  /\ gate # "closed" \/ ~Has("adoption is a gate")
  /\ IsFree(trigger) /\ row.state = "claimed" /\ row.owner # NoOne
  /\ Checks = "at any time" \/ IsFree(row.owner)
  /\ row' = [row EXCEPT !.owner = trigger]
  /\ workers' = [workers EXCEPT ![trigger] = [Idle EXCEPT !.does = "decides next", !.epoch = row.epoch,
      !.announcement = row.announcement, !.owned = row.announced # 0]]
  /\ UNCHANGED <<copy, gate, paused, calls, chains, started, budget>>

(* `owned` says here whether it was called before, as this trigger read it. *)
IsStopped == paused /\ ~row.redriven
MayCallAgain == OnUncertain = "START" \/ row.remembered > 0 \/ ~Has("call again only while remembered")

(* reconcile.ts, letThemWait: nobody has called it. *)
LetWait(trigger) ==
  /\ workers[trigger].does = "decides next"
  /\ ~workers[trigger].owned \/ ~Has("what was called never waits")
  /\ workers' = [workers EXCEPT ![trigger] = Idle]
  /\ row' = IF /\ row.state = "claimed" /\ row.owner = trigger /\ ~IsStopped
               /\ row.announced = 0 \/ ~Has("what was called never waits")
     THEN Uncalled(row, "claimed") ELSE row
  /\ UNCHANGED <<copy, gate, paused, calls, chains, started, budget>>

(* trigger/dispatch/start-again.ts. *)
AnnounceAgain(trigger) ==
  /\ workers[trigger].does = "decides next" /\ workers[trigger].owned /\ ~IsStopped
  /\ IF row.state = "claimed" /\ row.owner = trigger /\ row.epoch = workers[trigger].epoch /\ MayCallAgain
     THEN LET instant == NextInstant IN
       /\ row' = [row EXCEPT !.announcement = instant, !.settles = Settled,
           !.announced = IF @ = 0 THEN instant ELSE @, !.remembered = IF row.announced = 0 THEN RememberedFor ELSE @]
       /\ Hold(trigger, instant)
     ELSE /\ workers' = [workers EXCEPT ![trigger] = Idle]
          /\ UNCHANGED row
  /\ UNCHANGED <<copy, gate, paused, calls, chains, started, budget>>

(* trigger/recover/find-or-abandon.ts, findOrAbandon and abandonOnceSettled. *)
Find(trigger) ==
  /\ workers[trigger].does = "decides next" /\ workers[trigger].owned
  /\ IsStopped \/ (OnUncertain = "SKIP" /\ row.remembered = 0)
  /\ IF Knows(workers[trigger].epoch) /\ Has("ask before giving up")
     THEN workers' = [workers EXCEPT ![trigger].does = "links next"]
     ELSE IF row.settles > 0 /\ Has("wait before giving up")
       THEN workers' = [workers EXCEPT ![trigger] = Idle]
       ELSE workers' = [workers EXCEPT ![trigger].does = "gives up next", ![trigger].end = "abandoned"]
  /\ UNCHANGED <<row, copy, gate, paused, calls, chains, started, budget>>

SkipUncalled(trigger) ==
  /\ workers[trigger].does = "decides next" /\ ~workers[trigger].owned /\ IsStopped
  /\ workers' = [workers EXCEPT ![trigger].does = "gives up next", ![trigger].end = "skipped"]
  /\ UNCHANGED <<row, copy, gate, paused, calls, chains, started, budget>>

(* store/firings/give-up.ts: by compare-and-set of owner and announcement. *)
GiveUp(trigger) ==
  /\ workers[trigger].does = "gives up next"
  /\ workers' = [workers EXCEPT ![trigger] = Idle]
  /\ row' = IF /\ row.state = "claimed" /\ row.epoch = workers[trigger].epoch
               /\ \/ row.owner = trigger /\ row.announcement = workers[trigger].announcement
                  \/ ~Has("give up what was decided on")
     THEN [row EXCEPT !.state = workers[trigger].end, !.owner = NoOne,
       !.reason = IF workers[trigger].end = "skipped" THEN "paused" ELSE "uncertain"]
     ELSE row
  /\ UNCHANGED <<copy, gate, paused, calls, chains, started, budget>>

-----------------------------------------------------------------------------
(* What people ask for: client/. *)

(* store/firings/skip-waiting.ts: what waits is skipped, what was announced is not touched. *)
Pause ==
  /\ MayAsk /\ Asked /\ ~paused
  /\ paused' = TRUE
  /\ row' = IF Waits /\ ~row.redriven THEN [row EXCEPT !.state = "skipped", !.reason = "paused"] ELSE row
  /\ UNCHANGED <<copy, gate, calls, chains, started, workers>>

Unpause ==
  /\ paused /\ paused' = FALSE
  /\ UNCHANGED <<row, copy, gate, calls, chains, started, workers, budget>>

Exclude ==
  /\ MayAsk /\ Asked /\ row.state = "absent"
  \* It is ahead of its time: nobody has claimed it, in no copy of the ledger either.
  /\ calls = {} /\ chains[0].state = "none" /\ \A trigger \in Triggers : IsFree(trigger)
  /\ row' = [row EXCEPT !.state = "skipped", !.reason = "excluded"]
  /\ UNCHANGED <<copy, gate, paused, calls, chains, started, workers>>

Include ==
  /\ MayAsk /\ Asked /\ row.state = "skipped" /\ row.reason = "excluded"
  /\ row' = NewRow
  /\ UNCHANGED <<copy, gate, paused, calls, chains, started, workers>>

(* A reset takes the chain up again. *)
Reset ==
  /\ MayAsk /\ Asked /\ row.state = "closed" /\ chains[row.epoch].state = "closed"
  /\ chains' = [chains EXCEPT ![row.epoch] = [state |-> "running", known |-> 0]]
  /\ row' = [row EXCEPT !.state = "linked"]
  /\ UNCHANGED <<copy, gate, paused, calls, started, workers>>

(* store/letters/carry-out-redrive.ts, reclaimFiring: a start that was given up keeps its epoch. *)
Redrive ==
  /\ MayAsk /\ Asked
  /\ \/ /\ row.state = "abandoned"
        /\ row' = [Uncalled(row, "claimed") EXCEPT !.redriven = TRUE, !.reason = "none"]
        \* A person has seen that it is uncertain, and wants it.
        /\ started' = [started EXCEPT ![row.epoch] = 0]
     \/ /\ row.state = "closed" /\ row.epoch < LastEpoch
        /\ row' = [Uncalled(row, "claimed") EXCEPT !.redriven = TRUE, !.epoch = @ + 1]
        /\ UNCHANGED started
  /\ UNCHANGED <<copy, gate, paused, calls, chains, workers>>

(* store/firings/run-again.ts. *)
RunAgain ==
  /\ MayAsk /\ Asked /\ row.state \in {"closed", "abandoned", "skipped"} /\ row.epoch < LastEpoch
  /\ row' = [Uncalled(row, "buffered") EXCEPT !.redriven = TRUE, !.epoch = @ + 1, !.reason = "none"]
  /\ UNCHANGED <<copy, gate, paused, calls, chains, started, workers>>

-----------------------------------------------------------------------------
(* What goes wrong. *)

Crash(trigger) ==
  /\ budget.crashes > 0 /\ ~IsFree(trigger)
  /\ budget' = [budget EXCEPT !.crashes = @ - 1]
  /\ workers' = [workers EXCEPT ![trigger] = Idle]
  /\ UNCHANGED <<row, copy, gate, paused, calls, chains, started>>

(* The copy follows the row, or stays behind. *)
Copy ==
  /\ budget.failovers > 0
  /\ copy' = row
  /\ UNCHANGED <<row, gate, paused, calls, chains, started, workers, budget>>

(* Assumed: Temporal still knows all that the copy lacks, and will while it is adopted. *)
Failover ==
  /\ budget.failovers > 0
  /\ \A epoch \in Epochs : chains[epoch].state # "forgotten" /\ (chains[epoch].state = "closed" => chains[epoch].known > AdoptedWithin)
  /\ budget' = [budget EXCEPT !.failovers = @ - 1]
  /\ row' = copy
  /\ gate' = "closed"
  \* store/session.ts: what a trigger has in hand is written to no other database. It may still be called.
  /\ workers' = [trigger \in Triggers |-> Idle]
  /\ \E sent \in SUBSET {trigger \in Triggers : workers[trigger].does = "calls next" /\ workers[trigger].lease > 0} :
      calls' = calls \cup {[from |-> trigger, epoch |-> workers[trigger].epoch, left |-> Deadline] : trigger \in sent}
  /\ UNCHANGED <<copy, paused, chains, started>>

(* adopt.ts, store/firings/adopt.ts: list what Temporal has, and give a row to what lost it. *)
LostTheirRow == {epoch \in Epochs :
  /\ Knows(epoch)
  /\ \/ row.state = "absent"
     \/ row.epoch < epoch
     \/ row.epoch = epoch /\ row.state \in {"buffered", "abandoned", "skipped"}
     \/ row.epoch = epoch /\ row.state = "claimed" /\ row.announced = 0}
(* Adoption is done at once, again a minute later, and each day. The last one finds no call or batch from before the failover. *)
Adopt ==
  /\ \/ gate = "closed" /\ gate' = "open, to be adopted again"
     \/ gate = "open, to be adopted again" /\ calls = {} /\ (\A trigger \in Triggers : IsFree(trigger)) /\ gate' = "open"
  /\ row' = IF LostTheirRow = {} THEN row
     ELSE LET epoch == CHOOSE one \in LostTheirRow : \A other \in LostTheirRow : one >= other IN
       [row EXCEPT !.state = "linked", !.epoch = epoch, !.owner = NoOne]
  /\ UNCHANGED <<copy, paused, calls, chains, started, workers, budget>>

Tick ==
  \* Assumed: adoption is done in time.
  /\ gate = "open" \/ budget.waits > 0
  /\ budget' = IF gate = "open" THEN budget ELSE [budget EXCEPT !.waits = @ - 1]
  /\ row' = [row EXCEPT !.settles = Lower(@), !.remembered = Lower(@)]
  /\ copy' = [copy EXCEPT !.settles = Lower(@), !.remembered = Lower(@)]
  /\ calls' = {[call EXCEPT !.left = @ - 1] : call \in {one \in calls : one.left > 1}}
  /\ chains' = [epoch \in Epochs |->
      IF chains[epoch].state = "closed" /\ chains[epoch].known = 1 THEN [state |-> "forgotten", known |-> 0]
      ELSE [chains[epoch] EXCEPT !.known = Lower(@)]]
  /\ workers' = [trigger \in Triggers |-> [workers[trigger] EXCEPT !.lease = Lower(@)]]
  /\ UNCHANGED <<gate, paused, started>>

-----------------------------------------------------------------------------

Next ==
  \/ \E state \in {"buffered", "claimed", "skipped"} : Claim(state)
  \/ \E state \in {"claimed", "skipped"} : Release(state)
  \/ \E trigger \in Triggers :
      \/ Take(trigger) \/ Call(trigger) \/ TakeBack(trigger) \/ HearNothing(trigger) \/ Link(trigger)
      \/ TakeOver(trigger) \/ LetWait(trigger) \/ AnnounceAgain(trigger) \/ Find(trigger)
      \/ SkipUncalled(trigger) \/ GiveUp(trigger) \/ Crash(trigger)
  \/ \E call \in calls : Land(call, TRUE) \/ Land(call, FALSE) \/ Lose(call)
  \/ \E epoch \in Epochs : EndChain(epoch)
  \/ Close
  \/ Pause \/ Unpause \/ Exclude \/ Include \/ Reset \/ Redrive \/ RunAgain
  \/ Copy \/ Failover \/ Adopt
  \/ Tick

(* For liveness: what may happen again and again happens at last. People, crashes and losses owe nothing. *)
Works(trigger) == Link(trigger) \/ LetWait(trigger) \/ AnnounceAgain(trigger) \/ Find(trigger)
  \/ SkipUncalled(trigger) \/ GiveUp(trigger) \/ HearNothing(trigger)
  \/ (workers[trigger].lease = 0 /\ TakeBack(trigger))
FairSpec == Init /\ [][Next]_vars /\ WF_vars(Tick)
  /\ \A trigger \in Triggers : SF_vars(Take(trigger)) /\ SF_vars(Call(trigger)) /\ SF_vars(TakeOver(trigger)) /\ SF_vars(Find(trigger))
      /\ WF_vars(Works(trigger))
  /\ SF_vars(\E call \in calls : Land(call, FALSE))

(* What is claimed does not stay claimed. *)
ClaimedIsSettled == row.state = "claimed" ~> row.state # "claimed"

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold. *)

(* No epoch starts twice, unless a person redrives what was abandoned, or its definition asks for that once Temporal may have forgotten. *)
NeverDoubled == OnUncertain = "SKIP" => \A epoch \in Epochs : started[epoch] <= 1

(* With START a second chain begins only where Temporal had forgotten the first. *)
DoubledOnlyWhenForgotten ==
  [][\A epoch \in Epochs : started'[epoch] = 2 /\ started[epoch] = 1 => chains[epoch].state = "forgotten"]_vars

(* Between a failover and the last adoption the ledger may not know yet what runs. *)
IsAdopted == gate = "open"
(* What was given up does not run. What was skipped never ran. *)
GivenUpNeverRuns == IsAdopted /\ row.state = "abandoned" => ~Knows(row.epoch)
SkippedNeverRan == IsAdopted /\ row.state = "skipped" => chains[row.epoch].state = "none"

(* What is linked was started. *)
LinkedWasStarted == row.state = "linked" => chains[row.epoch].state # "none"

(* Each claimed row has something that wakes it: a dispatch, or a check. *)
SomethingWakesIt == row.state = "claimed" => Waits \/ row.owner # NoOne

Symmetric == Permutations(Triggers)
IsLegal == row'.state # row.state => row'.state \in Transitions[row.state]
OnlyLegalTransitions == [][IsLegal \/ gate' # gate]_vars
=============================================================================
