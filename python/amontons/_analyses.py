"""One method per analysis, with the names of its options. Made by python/generate.py from the library's own tables."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._values import UNSET, Matrix, Numbers

if TYPE_CHECKING:
    from .result import Result

# What a study may say beside its model and its question.
STUDY_KEYS = ("title", "source", "about", "claims", "topic", "verdict", "correction", "also", "figure", "animation",
              "expect", "sweep", "follow", "full")


class Analyses:
    """What can be asked of a structure. Options that are left out have the defaults that their lines say."""

    def _ask(self, kind: str, options: dict[str, Any]) -> Result:
        raise NotImplementedError

    def motion(
        self,
        *,
        until: float = UNSET,
        from_: float = UNSET,
        initial: Any = UNSET,
        samples: int = UNSET,
        max_events: int = UNSET,
        max_spans: int = UNSET,
        energy: bool = UNSET,
        record_from: float = UNSET,
        section: Mapping[str, Any] = UNSET,
        switching: Mapping[str, Any] = UNSET,
        **more: Any,
    ) -> Result:
        """Dynamics with exact switching between stick, slip and separation.

        until [time]: end of the motion; required
        from_ [time]: start of the motion; default 0
        initial: {displacement, velocity} at the start, one number each per coordinate; or the word rest: in
            equilibrium under the loads of `from`, or preloaded: under the constant loads alone, put on slowly; default
            at rest at zero; preloaded with `preload`
        samples: rows of the table `samples`, evenly spaced in time; 0: none; default 1001
        max_events: give up after so many; default 1000000
        max_spans: give up when it becomes clear that more pieces of series are needed: about three a period of what
            moves fastest; default 20000000
        energy: keep the balance of energy; default true
        record_from [time]: tables events, touches and samples, and the count of slips, begin here; default from
        section: table `section`: points at equal intervals; default none
        switching: imitate fixed-step switching: the motion is then wrong on purpose; default exact
        """
        options = {
            "until": until,
            "from": from_,
            "initial": initial,
            "samples": samples,
            "max_events": max_events,
            "max_spans": max_spans,
            "energy": energy,
            "record_from": record_from,
            "section": section,
            "switching": switching,
        }
        return self._ask("motion", {**options, **more})

    def path(
        self,
        *,
        until: float = UNSET,
        from_: float = UNSET,
        cycles: Any = UNSET,
        most_cycles: int = UNSET,
        most_period: int = UNSET,
        initial: Mapping[str, Any] = UNSET,
        start: Any = UNSET,
        on_jump: str = UNSET,
        samples: int = UNSET,
        method: str = UNSET,
        steps: int = UNSET,
        **more: Any,
    ) -> Result:
        """Quasi-static evolution, exact from corner to corner, with its jumps.

        until [time]: end of the path; default required without cycles
        from_ [time]: start of the path; default 0
        cycles: cycles of a periodic load: a number, or until-repeat; default none
        most_cycles: until-repeat gives up after so many cycles; default 10000
        most_period: longest repetition looked for, in cycles of the load; default 64
        initial: displacement at the start; default zero
        start: tangential position of each contact, all of them closed and stuck; or the state of each contact, where
            several are admissible; default the only admissible state
        on_jump: what to do where no continuous path exists (stop, release, dynamics); default stop
        samples: rows of the table `samples` (until-repeat: per cycle); default 201
        method: corner to corner, or by load steps (exact, incremental); default exact; incremental for blocks and
            meshes, and where exact does not know a law
        steps: incremental: load steps over the run, or per cycle; default 200
        """
        options = {
            "until": until,
            "from": from_,
            "cycles": cycles,
            "most_cycles": most_cycles,
            "most_period": most_period,
            "initial": initial,
            "start": start,
            "on_jump": on_jump,
            "samples": samples,
            "method": method,
            "steps": steps,
        }
        return self._ask("path", {**options, **more})

    def states(
        self,
        *,
        question: str = UNSET,
        problem: str = UNSET,
        standing: str | Sequence[str] = UNSET,
        rates: Numbers = UNSET,
        loads: Numbers = UNSET,
        budget: int = UNSET,
        initial: Mapping[str, Any] = UNSET,
        **more: Any,
    ) -> Result:
        """Which contact states are admissible for which load rates, and whether the rates decide.

        question: what is asked (sectors, uniqueness, sliding); default sectors with one contact, two loads or any of
            the next four keys, else uniqueness
        problem: what the rates must satisfy (quasistatic, dynamic); default quasistatic
        standing: what is known of each contact before the rates act (origin, stick, forward, backward, open); default
            origin
        rates [force/time]: two load rates to classify; default none
        loads: which two loads span the plane, counted from 0; default [0, 1]
        budget: uniqueness: how many minors to look at before the verdict is undecided; default 50000000
        initial: sliding: where the contacts are looked at; default at rest at zero
        """
        options = {
            "question": question,
            "problem": problem,
            "standing": standing,
            "rates": rates,
            "loads": loads,
            "budget": budget,
            "initial": initial,
        }
        return self._ask("states", {**options, **more})

    def stability(
        self,
        *,
        state: str | Sequence[str] = UNSET,
        preloaded: str = UNSET,
        threshold: str = UNSET,
        from_: float = UNSET,
        to: float = UNSET,
        along: Mapping[str, Any] = UNSET,
        **more: Any,
    ) -> Result:
        """Do small disturbances of steady sliding, or of another persistent contact state, grow? At which value of a
        number of the model do they begin to?

        state: state of each contact; one word stands for all (open, stick, forward, backward); default sliding,
            against the moving surface
        preloaded: small vibrations about the state that the constant loads (`preload` of a structure, and others)
            leave when they are put on slowly: closed contacts stuck, or sliding (stuck, sliding); default no: steady
            sliding, or `state`
        threshold: a number of the model by its name (Delta, contact.D_c): look for its value at which stability is
            lost; default none
        from_: threshold: a value at which sliding is stable, where the search begins; default 0
        to: threshold: where the search ends; default without end, in steps that double
        along: threshold: its curve along a second number of the model; default none
        """
        options = {
            "state": state,
            "preloaded": preloaded,
            "threshold": threshold,
            "from": from_,
            "to": to,
            "along": along,
        }
        return self._ask("stability", {**options, **more})

    def attractors(
        self,
        *,
        starts: Any = UNSET,
        initial: Mapping[str, Any] = UNSET,
        until: float = UNSET,
        transient: int = UNSET,
        most_returns: int = UNSET,
        most_period: int = UNSET,
        join: bool = UNSET,
        section: int = UNSET,
        search_unstable: bool = UNSET,
        borders: int = UNSET,
        edge: Mapping[str, Any] = UNSET,
        **more: Any,
    ) -> Result:
        """Where starts lead: the contact state that lasts for ever, or the periodic motions that attract.

        starts: a number of points in a box; or axes {from, to, count} by coordinate: its name, or v1, v2, ... for
            velocities; or by any other name with a direction {displacement, velocity}; required
        initial: of all starts, where no axis says otherwise; default zero
        until [time]: final states: give up (label `undecided`) at this time; default 10000
        transient: orbits: returns before one is looked for; default 20
        most_returns: orbits: a start that does not repeat within so many is aperiodic or undecided; default 20000
        most_period: orbits: the longest one looked for, in returns; default 64
        join: orbits: a motion that meets one whose fate is known shares it; default true
        section: orbits: keep the last so many points of every start on the section (table `section`); default 0
        search_unstable: orbits: look for unstable ones on the borders between basins; default false
        borders: orbits: how many borders are looked at; default 16
        edge: locate the border on a line between two starts; default none
        """
        options = {
            "starts": starts,
            "initial": initial,
            "until": until,
            "transient": transient,
            "most_returns": most_returns,
            "most_period": most_period,
            "join": join,
            "section": section,
            "search_unstable": search_unstable,
            "borders": borders,
            "edge": edge,
        }
        return self._ask("attractors", {**options, **more})

    def orbit(
        self,
        *,
        initial: Mapping[str, Any] = UNSET,
        from_: float = UNSET,
        section: str = UNSET,
        period: float = UNSET,
        transient: int = UNSET,
        most_returns: int = UNSET,
        most_period: int = UNSET,
        samples: int = UNSET,
        **more: Any,
    ) -> Result:
        """The periodic motion a start leads to, made exact by shooting, with its Floquet multipliers.

        initial: where the transient starts; default at rest at zero
        from_ [time]: when it starts; default 0
        section: where one return is compared with the next (auto, period, switch); default auto
        period [time]: of the loads; default found from the loads
        transient: returns before the first attempt to close the orbit; 0: the start is a guess, closed at once, be the
            motion stable or not; default 20
        most_returns: give up after so many returns; default 100000
        most_period: longest orbit looked for, in returns; default 64
        samples: rows of the table `samples`, evenly spaced over one period; 0: none; default 1001
        """
        options = {
            "initial": initial,
            "from": from_,
            "section": section,
            "period": period,
            "transient": transient,
            "most_returns": most_returns,
            "most_period": most_period,
            "samples": samples,
        }
        return self._ask("orbit", {**options, **more})

    def cells(
        self,
        *,
        box: Mapping[str, Any] = UNSET,
        start: float = UNSET,
        period: float = UNSET,
        periods: int = UNSET,
        refine: bool = UNSET,
        checks: int = UNSET,
        table: bool = UNSET,
        **more: Any,
    ) -> Result:
        """Periodic motions of a forced structure and their basins by cell-to-cell mapping, for two or three state
        variables.

        box: an axis for every state variable: a coordinate's name, v_x for its velocity (v1 of q1), stretch1, ... for
            springs behind sliders and for what friction remembers (the deflection of its bristles, its age; behind a
            spring age1, ...), slid1, ... for the distance slid of friction that weakens; required
        start [time]: time (phase of the loads) at which the states are looked at; default 0
        period [time]: a multiple of the period of the loads; default that of the loads
        periods: periods in one step of the map; more of them help where motions contract slowly; default 1, doubled
            until the checks agree
        refine: close the orbit of every periodic group by shooting; default true
        checks: cells from which the exact map is iterated to see whether it agrees; default 200
        table: fill the table `cells`; default true
        """
        options = {
            "box": box,
            "start": start,
            "period": period,
            "periods": periods,
            "refine": refine,
            "checks": checks,
            "table": table,
        }
        return self._ask("cells", {**options, **more})

    def shakedown(
        self,
        *,
        scale: Numbers = UNSET,
        scale_held: Numbers = UNSET,
        about: str = UNSET,
        period: float = UNSET,
        samples: int = UNSET,
        **more: Any,
    ) -> Result:
        """Can slip stop under a periodic load, and up to which size of the load?

        scale: which loads the factor scales, counted from 0; the others stay as they are; default all that vary
        scale_held: contacts whose held normal force the factor scales, counted from 0; default all that vary, unless
            scale is given
        about: what of a scaled load the factor multiplies (mean, zero); default mean
        period [time]: needed where a table or pulse does not repeat by itself; default that of the loads
        samples: rows of the table samples; default 201
        """
        options = {
            "scale": scale,
            "scale_held": scale_held,
            "about": about,
            "period": period,
            "samples": samples,
        }
        return self._ask("shakedown", {**options, **more})

    def twofold(
        self,
        *,
        slip: str | Sequence[str] = UNSET,
        change: Numbers = UNSET,
        between: float = UNSET,
        intervals: int = UNSET,
        samples: int = UNSET,
        **more: Any,
    ) -> Result:
        """A smooth load under which two contacts evolve in infinitely many ways from one start, each way checked against
        the rate problem.

        slip: direction in which each contact slips (forward, backward); default the pair with the largest d2
        change [force]: [s1(1) - s1(0), s2(1) - s2(0)]; must satisfy the condition of docs/twofold.md; default half of
            what the normal forces allow
        between: a third evolution: 0 is the red one, 1 the blue one; default 0.5
        intervals: how many of the intervals [1/n, 1/(n - 1)], n = 2, 3, ..., are sampled; default 60
        samples: per interval; default 48
        """
        options = {
            "slip": slip,
            "change": change,
            "between": between,
            "intervals": intervals,
            "samples": samples,
        }
        return self._ask("twofold", {**options, **more})

    def march(
        self,
        *,
        until: float = UNSET,
        from_: float = UNSET,
        initial: Any = UNSET,
        disturbance: Numbers = UNSET,
        method: str = UNSET,
        tolerance: float = UNSET,
        step: float = UNSET,
        check: bool = UNSET,
        samples: int = UNSET,
        record_from: float = UNSET,
        max_events: int = UNSET,
        max_steps: int = UNSET,
        **more: Any,
    ) -> Result:
        """Dynamics by time stepping, for compliant contacts (Kelvin-Voigt, Hunt-Crossley) and regularised friction.

        until [time]: end of the motion; required
        from_ [time]: start of the motion; default 0
        initial: {displacement, velocity} at the start; rest: in equilibrium under the loads of `from`; preloaded:
            under the constant loads alone, put on slowly; equilibrium: steady sliding; default at rest at zero;
            preloaded with `preload`
        disturbance [length]: added to the displacement at the start, one number per coordinate; default none
        method: how to step (adaptive, newmark, moreau-jean); default adaptive
        tolerance: adaptive: error of a step, relative to the size of the motion; default 1e-8
        step [time]: length of a step; default required by methods of fixed step
        check: run again with a tenth of the tolerance (half the step) and report the difference; default true for runs
            of at most 100000 steps
        samples: rows of the table `samples`, evenly spaced in time; 0: none; default 1001
        record_from [time]: tables events, samples and spectrum, N_min and N_max begin here; default from
        max_events: give up after so many; default 1000000
        max_steps: give up after so many; default 100000000
        """
        options = {
            "until": until,
            "from": from_,
            "initial": initial,
            "disturbance": disturbance,
            "method": method,
            "tolerance": tolerance,
            "step": step,
            "check": check,
            "samples": samples,
            "record_from": record_from,
            "max_events": max_events,
            "max_steps": max_steps,
        }
        return self._ask("march", {**options, **more})

    def squeal(
        self,
        *,
        modes: int = UNSET,
        friction: Mapping[str, Any] = UNSET,
        confirm: bool = UNSET,
        certify: bool = UNSET,
        state: str | Sequence[str] = UNSET,
        **more: Any,
    ) -> Result:
        """Which modes of a large sparse structure does friction make unstable, and from which coefficient of friction on?

        modes: real modes, the lowest ones, that span the small eigenproblems; default 50
        friction: coefficients of friction: from, to, count; default 0 to 1 in 101 values
        confirm: every unstable pair of these on the full problem; those at the model's own friction and the critical
            one always are; default true
        certify: large structures: count the eigenvalues of the full problem below a frequency, so that `stable` and
            `none` do not rest on the modes; summary certificate_factors says what it took; default true
        state: state of each contact; one word stands for all (open, stick, forward, backward); default sliding,
            against the moving surface
        """
        options = {
            "modes": modes,
            "friction": friction,
            "confirm": confirm,
            "certify": certify,
            "state": state,
        }
        return self._ask("squeal", {**options, **more})

    def response(
        self,
        *,
        over: str = UNSET,
        from_: float = UNSET,
        to: float = UNSET,
        harmonics: int | str = UNSET,
        tolerance: float = UNSET,
        most_harmonics: int = UNSET,
        parity: str = UNSET,
        frequency: float = UNSET,
        coordinate: str = UNSET,
        start: Mapping[str, Any] = UNSET,
        stability: str = UNSET,
        branches: bool = UNSET,
        most_branches: int = UNSET,
        contact_cycles: bool = UNSET,
        hysteresis: Sequence[str] = UNSET,
        most_points: int = UNSET,
        largest_step: float = UNSET,
        values: Numbers = UNSET,
        isolas: Mapping[str, Any] = UNSET,
        folds: Mapping[str, Any] = UNSET,
        bifurcations: Mapping[str, Any] = UNSET,
        control: Sequence[Any] | Mapping[str, Any] = UNSET,
        **more: Any,
    ) -> Result:
        """Periodic motions by harmonic balance, forced or self-excited, followed along a number of the model through
        folds; peaks, special points, stability.

        over: number of the model along which the motion is followed; default one motion at the model's own values
        from_: its first value; default around the start
        to: its last value; default around the start
        harmonics: highest harmonic, or auto: as many as the tolerance needs; default auto
        tolerance: how much the harmonics left out may move the motion, relative to its size; the study fails where
            that is not met; default 1e-6 with harmonics auto, 0.5 with a number
        most_harmonics: harmonics auto: most; default 96
        parity: harmonics that are kept (auto, all, odd); default auto
        frequency [1/time]: of the first harmonic (for subharmonic motions; the loads' must be multiples); default that
            of the loads
        coordinate: whose amplitude `peak` means; default the one that moves most
        start: self-excited motions: where to begin
        stability: how stability is judged (auto, hill, floquet, none); default auto
        branches: follow the branches that leave at branch points, too; default false
        most_branches: of them; default 20
        contact_cycles: what each contact does in a period at the peak and at `values`: losses, stick, slip; default
            false
        hysteresis: contacts whose forces over the period are wanted there; default none
        most_points: of one branch; default 10000
        largest_step: of the parameter, about; default chosen
        values: of the parameter, to be hit exactly; default none
        isolas: forced motions: seek those that lie on no branch followed so far; default not sought
        folds: follow the folds along a second number of the model; default not followed
        bifurcations: follow period doublings and Neimark-Sacker points along a second number of the model; default not
            followed
        control: amplitudes or phases that are kept, and the loads or the frequency found that keep them; default the
            loads are given
        """
        options = {
            "over": over,
            "from": from_,
            "to": to,
            "harmonics": harmonics,
            "tolerance": tolerance,
            "most_harmonics": most_harmonics,
            "parity": parity,
            "frequency": frequency,
            "coordinate": coordinate,
            "start": start,
            "stability": stability,
            "branches": branches,
            "most_branches": most_branches,
            "contact_cycles": contact_cycles,
            "hysteresis": hysteresis,
            "most_points": most_points,
            "largest_step": largest_step,
            "values": values,
            "isolas": isolas,
            "folds": folds,
            "bifurcations": bifurcations,
            "control": control,
        }
        return self._ask("response", {**options, **more})

    def backbone(
        self,
        *,
        mode: int = UNSET,
        from_: float = UNSET,
        to: float = UNSET,
        values: Numbers = UNSET,
        harmonics: int | str = UNSET,
        tolerance: float = UNSET,
        most_harmonics: int = UNSET,
        parity: str = UNSET,
        stability: str = UNSET,
        forces: Numbers = UNSET,
        contact_cycles: bool = UNSET,
        hysteresis: Sequence[str] = UNSET,
        branches: bool = UNSET,
        most_branches: int = UNSET,
        most_points: int = UNSET,
        **more: Any,
    ) -> Result:
        """Nonlinear modes: frequency, damping and shape of free vibration over its amplitude, from a linear mode up.

        mode: of the linear structure, by frequency from 1, contacts as they are at small amplitudes (friction behind
            springs stuck); default 1
        from_: first modal amplitude, sqrt(X.M X) of the first harmonic; default the least of `values`
        to: last modal amplitude; default the greatest of `values`
        values: modal amplitudes to be hit exactly; default none
        harmonics: highest harmonic, or auto: as many as the tolerance needs; default auto
        tolerance: how much the harmonics left out may move the mode, relative to its size; the study fails where that
            is not met; default 1e-6 with harmonics auto, 0.5 with a number
        most_harmonics: harmonics auto: most; default 96
        parity: harmonics that are kept (auto, all, odd); default auto
        stability: how stability is judged (auto, floquet, none); default auto
        forces: multiples of the structure's harmonic load for which the forced response near the mode is predicted;
            default none
        contact_cycles: what each contact does in a period at `values` and at the last amplitude: losses, stick, slip;
            default false
        hysteresis: contacts whose forces over the period are wanted there; default none
        branches: follow the modes that leave at branch points (internal resonances), too; default false
        most_branches: of them, with the mode itself; default 20
        most_points: of the curve; default 10000
        """
        options = {
            "mode": mode,
            "from": from_,
            "to": to,
            "values": values,
            "harmonics": harmonics,
            "tolerance": tolerance,
            "most_harmonics": most_harmonics,
            "parity": parity,
            "stability": stability,
            "forces": forces,
            "contact_cycles": contact_cycles,
            "hysteresis": hysteresis,
            "branches": branches,
            "most_branches": most_branches,
            "most_points": most_points,
        }
        return self._ask("backbone", {**options, **more})

    def design(
        self,
        *,
        over: str = UNSET,
        from_: float = UNSET,
        to: float = UNSET,
        frequency: str = UNSET,
        frequency_from: float = UNSET,
        frequency_to: float = UNSET,
        harmonics: int | str = UNSET,
        tolerance: float = UNSET,
        most_harmonics: int = UNSET,
        parity: str = UNSET,
        coordinate: str = UNSET,
        robust: float = UNSET,
        against: Any = UNSET,
        checks: int = UNSET,
        largest_step: float = UNSET,
        most_points: int = UNSET,
        **more: Any,
    ) -> Result:
        """The peak of a frequency response over a number of the model, followed without a grid of frequencies; the value
        that makes the highest peak least, and a robust range around it.

        over: number of the model that is to be chosen; required
        from_: its first value; required
        to: its last value; required
        frequency: number of the model that moves the frequency of its loads, and nothing else; required
        frequency_from: first frequency of the range over which the peak is meant; required
        frequency_to: last frequency; required
        harmonics: highest harmonic, or auto: as many as the tolerance needs; default auto
        tolerance: harmonics auto: how much those left out may move the motion, relative to its size; default 1e-6
        most_harmonics: harmonics auto: most; default 96
        parity: harmonics that are kept (auto, all, odd); default auto
        coordinate: whose amplitude is meant; default the one that moves most
        robust: share by which the peak may exceed its least value in the robust range; default 0.1
        against: numbers of the model that are different in the one to compare with, as {eta: 0}: ratio of the highest
            peaks; default nothing
        checks: values of the number at which whole response curves are searched for peaks, both ends included; default
            9
        largest_step: of the number; default a fortieth of the way
        most_points: of one curve of peaks; default 2000
        """
        options = {
            "over": over,
            "from": from_,
            "to": to,
            "frequency": frequency,
            "frequency_from": frequency_from,
            "frequency_to": frequency_to,
            "harmonics": harmonics,
            "tolerance": tolerance,
            "most_harmonics": most_harmonics,
            "parity": parity,
            "coordinate": coordinate,
            "robust": robust,
            "against": against,
            "checks": checks,
            "largest_step": largest_step,
            "most_points": most_points,
        }
        return self._ask("design", {**options, **more})

    def atlas(
        self,
        *,
        over: str = UNSET,
        from_: float = UNSET,
        to: float = UNSET,
        at: float = UNSET,
        states: str = UNSET,
        active: Numbers = UNSET,
        patterns: Sequence[str] = UNSET,
        most_solutions: int = UNSET,
        count: bool = UNSET,
        follow: str = UNSET,
        connect: bool = UNSET,
        most_branches: int = UNSET,
        most_points: int = UNSET,
        largest_step: float = UNSET,
        stability: bool = UNSET,
        exact: bool = UNSET,
        harmonics: int = UNSET,
        resume: str = UNSET,
        **more: Any,
    ) -> Result:
        """All one-harmonic motions of a ring of bistable oscillators in which neighbours are a quarter of a period apart,
        up to symmetry, from the uncoupled limit; their stability, exact orbits and branches.

        over: number of the model along which branches are followed; required
        from_: its least value; required
        to: its greatest value; required
        at: value at which solutions are made, counted and compared; default the model's own value
        states: what a single oscillator does before it is coupled (all, large); default all
        active: least and greatest number of oscillators that move; default from 1 to all
        patterns: only these configurations: 0 at rest, +L or -L on the large, +s or -s on the small cycle, one word
            for each oscillator; what is not named is at rest; default all that there are
        most_solutions: more classes than this are counted and not listed; default 20000
        count: solve every class even where they are too many to be listed; default true
        follow: which branches (all, stable, none); default all
        connect: follow the branches that leave at branch points, too; default false
        most_branches: of them; default 2000
        most_points: of one branch; default 20000
        largest_step: along a branch, in its scaled arclength; default chosen
        stability: of all points of branches, not of solutions only; default true
        exact: look for the exact orbit of every solution, by more harmonics and shooting, with its multipliers;
            default false
        harmonics: exact: odd number up to which the balance climbs before shooting; default 5
        resume: file, in the folder of the results, that keeps what was solved and followed: a run that finds it goes
            on; default an interrupted run begins again
        """
        options = {
            "over": over,
            "from": from_,
            "to": to,
            "at": at,
            "states": states,
            "active": active,
            "patterns": patterns,
            "most_solutions": most_solutions,
            "count": count,
            "follow": follow,
            "connect": connect,
            "most_branches": most_branches,
            "most_points": most_points,
            "largest_step": largest_step,
            "stability": stability,
            "exact": exact,
            "harmonics": harmonics,
            "resume": resume,
        }
        return self._ask("atlas", {**options, **more})

    def slip(
        self,
        *,
        Q_over_fP: float = UNSET,
        Q: float = UNSET,
        c_over_a: float = UNSET,
        b_over_a: float = UNSET,
        law: str = UNSET,
        isolated: bool = UNSET,
        method: str = UNSET,
        samples: int = UNSET,
        profiles: int = UNSET,
        nodes: int = UNSET,
        steps: int = UNSET,
        branch: int = UNSET,
        turns: Numbers = UNSET,
        path: Sequence[Any] | Mapping[str, Any] = UNSET,
        cycle: Sequence[Any] | Mapping[str, Any] = UNSET,
        oscillation: Mapping[str, Any] = UNSET,
        cycles: int = UNSET,
        stress: Mapping[str, Any] = UNSET,
        **more: Any,
    ) -> Result:
        """Where does a half-plane contact stick, slip and open under P and Q, with which tractions, and which Q can it
        carry?

        Q_over_fP: tangential load over f P, f the dynamic coefficient; or give Q; default none
        Q [force/length]: tangential load; default none
        c_over_a: stick zone in the place of the load: any equilibrium, stable or not (closed forms); default none
        b_over_a: beside c_over_a, law double: the transition zone; Delta is then what it implies; default none
        law: another law of friction with the model's numbers (coulomb, griffith, double, short, static-kinetic, ramp,
            step, exponential, table); default that of the model
        isolated: a wave with the thesis' singular term; default that of the model
        method: how it is solved (closed-form, boundary-elements, automatic); default automatic
        samples: rows of the table tractions of a closed form; default 401
        profiles: places along the surfaces whose tractions are written for every row of the table path; default 0
        nodes: boundary elements per half-width of the contact; default 100
        steps: increments of the loads, boundary elements; default 1 where that is exact, else 20, dissimilar bodies
            50; legs of a path 40
        branch: rows of the table branch: all equilibria, stable or not; 0: none; default 200
        turns: Q/fP at which Q turns, one after the other at constant P: the table loop; default none
        path: loads in any order, in the place of Q: corners, each on a straight line from the one before, from where
            nothing touches; the table path; default none
        cycle: corners that follow the path, again and again; without a path, from the model's P; default none
        oscillation: in the place of cycle: P and Q as sines; default none
        cycles: how often; default 1
        stress: map of the stresses below the surface: points, width, depth; default none
        """
        options = {
            "Q_over_fP": Q_over_fP,
            "Q": Q,
            "c_over_a": c_over_a,
            "b_over_a": b_over_a,
            "law": law,
            "isolated": isolated,
            "method": method,
            "samples": samples,
            "profiles": profiles,
            "nodes": nodes,
            "steps": steps,
            "branch": branch,
            "turns": turns,
            "path": path,
            "cycle": cycle,
            "oscillation": oscillation,
            "cycles": cycles,
            "stress": stress,
        }
        return self._ask("slip", {**options, **more})
