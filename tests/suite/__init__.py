"""tests/run: which tests there are, in which order they run, and what became of them.

story.py runs one file's tests in a process of its own and tells each test's end; plan.py
says what there is to run; scheduler.py runs it side by side; report.py tells the user.
"""
